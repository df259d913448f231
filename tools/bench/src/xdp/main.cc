// SPDX-License-Identifier: Apache-2.0
// bench_xdp: what the packet path costs (tools/bench/xdp).
#include <bpf/bpf.h>
#include <sched.h>
#include <unistd.h>

#include <boost/program_options.hpp>
#include <cerrno>
#include <iostream>
#include <string>
#include <utility>

#include "bench/src/xdp/measure.h"
#include "bench/src/xdp/options.h"
#include "bench/src/xdp/pinned.h"
#include "bench/src/xdp/report.h"
#include "bench/src/xdp/subjects.h"
#include "bench/src/xdp/sweep.h"
#include "dataplane/preflight.h"

namespace rampart::bench {
namespace {

namespace options = boost::program_options;

// Everything once, small: that it runs is what is asked.
void make_small(Options& wanted) {
  constexpr uint32_t kFewFlows = 1024, kFewPackets = 1000;
  wanted.effort = {.rounds = 1, .packets = kFewPackets};
  wanted.selection.packets = kFewPackets;
  std::erase_if(wanted.selection.cases,
                [](const Case& kase) { return kase.live_flows() > kFewFlows; });
}

void complete(Selection& selection) {
  if (selection.forwards.empty()) selection.forwards = {RP_FORWARD_L2, RP_FORWARD_NAT};
  if (selection.backends.empty()) selection.backends = {16, 100};
  if (!selection.algorithms.empty()) return;
  for (const NamedAlgorithm& one : kAlgorithms) selection.algorithms.push_back(one.algorithm);
}

// The program at DIR/prog, so that a ruler need not know about versions.
Result<void> pin_for_rulers(const std::string& folder, const Options& wanted) {
  Setting setting = {.max_flows = wanted.max_flows};
  const Selection& selection = wanted.selection;
  if (!selection.forwards.empty()) setting.forward = selection.forwards.front();
  if (!selection.algorithms.empty()) setting.algorithm = selection.algorithms.front();
  if (!selection.backends.empty()) setting.backends = selection.backends.front();
  const auto pinned = pin(folder, setting);
  if (!pinned) return pinned.error();
  const std::string program = folder + "/prog";
  unlink(program.c_str());
  if (bpf_obj_pin(pinned->object->program_fd(), program.c_str()) != 0) {
    return system_error("pin " + program, errno);
  }
  std::cout << program << "\n";
  return {};
}

void list() {
  for (const Case& kase : all_cases()) {
    std::cout << kase.name << std::string(12 - kase.name.size(), ' ') << kase.meaning << "\n";
  }
}

// The last processor that we may run on: the first ones have more to do.
Result<void> stay_on_one_cpu() {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return system_error("CPUs", errno);
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
  }
  if (sched_setaffinity(0, sizeof one, &one) != 0) return system_error("stay on a CPU", errno);
  return {};
}

Result<void> measure_all(Options wanted) {
  if (auto may = dataplane::check_privileges(); !may) return may;
  if (auto can = dataplane::check_bpffs("/sys/fs/bpf"); !can) return can;
  if (auto stays = stay_on_one_cpu(); !stays) return stays;
  if (wanted.is_smoke) make_small(wanted);
  complete(wanted.selection);
  const auto replay = Replay::load();
  if (!replay) return replay.error();
  const auto subjects = make_subjects(**replay, wanted.selection);
  if (!subjects) return subjects.error();
  const auto cells = measure(**replay, wanted.selection.cases, *subjects, wanted.effort);
  if (!cells) return cells.error();
  std::optional<SweepCost> sweep;
  for (const Subject& subject : *subjects) {
    if (subject.name == kL2) sweep = measure_sweep(subject, wanted.effort.rounds);
  }
  const Report report = {wanted.effort, *subjects, *cells, sweep};
  std::cout << (wanted.output == "json" ? as_json(report) : as_table(report));
  return {};
}

int main(int argc, char** argv) {
  const options::options_description known = known_options();
  options::variables_map given;
  try {
    options::store(options::parse_command_line(argc, argv, known), given);
  } catch (const options::error& wrong) {
    std::cerr << "bench_xdp: " << wrong.what() << "\n";
    return 2;
  }
  if (given.contains("help")) std::cout << known;
  if (given.contains("list")) list();
  if (given.contains("help") || given.contains("list")) return 0;
  const auto wanted = options_of(given);
  Result<void> done;
  if (!wanted) {
    done = wanted.error();
  } else if (given.contains("pin")) {
    done = pin_for_rulers(given["pin"].as<std::string>(), *wanted);
  } else {
    done = measure_all(*wanted);
  }
  if (done) return 0;
  std::cerr << "bench_xdp: " << done.error().text << "\n";
  return static_cast<int>(done.error().code);
}

}  // namespace
}  // namespace rampart::bench

int main(int argc, char** argv) {
  return rampart::bench::main(argc, argv);
}
