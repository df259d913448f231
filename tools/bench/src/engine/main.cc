// SPDX-License-Identifier: Apache-2.0
// bench_engine [--benchmark_… of Google Benchmark]: what the engine costs, in medians of repetitions
// that are interleaved at random, so that a busy second of the machine spoils no single benchmark.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

// Of repetitions the median alone; of what runs once, that run. In the order of the source: runs
// that are interleaved end in any.
class Medians : public benchmark::ConsoleReporter {
 public:
  Medians() : ConsoleReporter(OO_None) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const bool is_single = run.run_type == Run::RT_Iteration && run.repetitions == 1;
      if (is_single || run.aggregate_name == "median") shown_.push_back(run);
    }
  }
  void Finalize() override {
    const auto place = [](const Run& run) {
      return std::pair(run.family_index, run.per_family_instance_index);
    };
    std::sort(shown_.begin(), shown_.end(),
              [&](const Run& a, const Run& b) { return place(a) < place(b); });
    ConsoleReporter::ReportRuns(shown_);
  }

 private:
  std::vector<Run> shown_;
};

}  // namespace

int main(int argc, char** argv) {
#ifndef NDEBUG
  std::fputs("not a release build: these figures say little\n", stderr);
#endif
  // Before what was given, so that that has the last word.
  std::vector<char*> arguments = {argv[0]};
  char interleaved[] = "--benchmark_enable_random_interleaving=true";
  char repetitions[] = "--benchmark_repetitions=9";
  char time[] = "--benchmark_min_time=0.05";
  for (char* option : {interleaved, repetitions, time}) arguments.push_back(option);
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);

  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  Medians medians;
  benchmark::RunSpecifiedBenchmarks(&medians);
  benchmark::Shutdown();
}
