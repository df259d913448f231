// SPDX-License-Identifier: Apache-2.0
// bench_veth: packets a second over veth pairs, against nftables (tools/bench/veth).
#include <sched.h>

#include <boost/program_options.hpp>
#include <cerrno>
#include <iostream>
#include <string>
#include <vector>

#include "bench/src/veth/bed.h"
#include "bench/src/veth/contestants.h"
#include "bench/src/veth/report.h"
#include "dataplane/preflight.h"

namespace rampart::bench {
namespace {

namespace options = boost::program_options;

constexpr uint32_t kBackends = 16;
constexpr uint32_t kFlows = 1024;
// A round in which frames were lost is done again: a busy machine may keep a softirq from running for
// longer than the queues of a veth last. A contestant that loses frames by itself fails.
constexpr int kTries = 5;

// Sends until a round has no loss. The frames before the clock starts begin the flows.
Result<double> run_round(Bed& bed, const Contestant& contestant, uint32_t frames) {
  if (auto put = contestant.put(); !put) return put.error();
  Result<double> rate = Error{Code::kFailed, "not tried"};
  for (int tried = 0; tried < kTries && !rate; ++tried) {
    const auto warm = bed.send(kFlows * 2, kFlows, contestant.arrival);
    rate = warm ? bed.send(frames, kFlows, contestant.arrival) : warm;
  }
  if (auto gone = contestant.take_away(); !gone) return gone.error();
  return rate;
}

Result<std::vector<Rates>> run_all(Bed& bed, const std::vector<Contestant>& contestants,
                                   const Effort& effort) {
  std::vector<Rates> all;
  for (const Contestant& contestant : contestants) all.push_back({contestant.name, {}});
  for (uint32_t round = 0; round < effort.rounds; ++round) {
    for (size_t i = 0; i < contestants.size(); ++i) {
      const auto rate = run_round(bed, contestants[i], effort.frames);
      if (!rate) return rate.within(contestants[i].name);
      all[i].millions.push_back(*rate);
    }
  }
  return all;
}

// The whole path of a frame is then the work of one processor, the softirqs included.
Result<void> stay_on_this_cpu() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
  if (sched_setaffinity(0, sizeof one, &one) == 0) return {};
  return system_error("stay on a CPU", errno);
}

Result<void> measure(const Effort& effort, const std::string& output) {
  if (auto may = dataplane::check_privileges(); !may) return may;
  if (auto can = dataplane::check_bpffs("/sys/fs/bpf"); !can) return can;
  if (auto stays = stay_on_this_cpu(); !stays) return stays;
  const std::vector<std::string> backends = backend_addresses(kBackends);
  const auto bed = Bed::make(backends);
  if (!bed) return bed.error();
  const auto contestants = make_contestants(**bed, backends);
  if (!contestants) return contestants.error();
  const auto rates = run_all(**bed, *contestants, effort);
  if (!rates) return rates.error();
  std::cout << (output == "json" ? as_json(effort, *rates) : as_table(effort, *rates));
  return {};
}

int main(int argc, char** argv) {
  options::options_description known("Options");
  known.add_options()("help,h", "")  //
      ("rounds", options::value<uint32_t>()->default_value(9), "")(
          "frames", options::value<uint32_t>()->default_value(1000000), "of a round")  //
      ("output,o", options::value<std::string>()->default_value("table"), "or json")   //
      ("smoke", "one small round: does everything run?");
  options::variables_map given;
  try {
    options::store(options::parse_command_line(argc, argv, known), given);
  } catch (const options::error& wrong) {
    std::cerr << "bench_veth: " << wrong.what() << "\n";
    return 2;
  }
  if (given.contains("help")) {
    std::cout << known;
    return 0;
  }
  Effort effort = {.rounds = given["rounds"].as<uint32_t>(),
                   .frames = given["frames"].as<uint32_t>()};
  if (given.contains("smoke")) effort = {.rounds = 1, .frames = 10000};
  const std::string output = given["output"].as<std::string>();
  if (effort.rounds == 0 || effort.frames < 2 || (output != "table" && output != "json")) {
    std::cerr << "bench_veth: a round and two frames at least; output is table or json\n";
    return 2;
  }
  const auto done = measure(effort, output);
  if (done) return 0;
  std::cerr << "bench_veth: " << done.error().text << "\n";
  return static_cast<int>(done.error().code);
}

}  // namespace
}  // namespace rampart::bench

int main(int argc, char** argv) {
  return rampart::bench::main(argc, argv);
}
