// SPDX-License-Identifier: Apache-2.0
// What health checks cost the control thread. The kernel delivers a loopback packet within the system
// call that sends it, so a check is charged with the work of the target's TCP, too: more than a real
// one costs.
#include <boost/asio/io_context.hpp>
#include <boost/program_options.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <optional>
#include <sstream>
#include <string>

#include "base/check.h"
#include "base/result.h"
#include "bench/src/health/peer.h"
#include "health/checker.h"
#include "health/network_prober.h"

namespace rampart::bench {
namespace {

namespace options = boost::program_options;
using std::chrono::seconds;

constexpr uint32_t kMostTargets = 65536;

struct Wanted {
  uint32_t targets = 0;
  uint32_t seconds = 0;
  control::CheckType type = control::CheckType::kTcp;
};

std::optional<control::CheckType> type_named(const std::string& name) {
  if (name == "tcp") return control::CheckType::kTcp;
  if (name == "http") return control::CheckType::kHttp;
  return std::nullopt;
}

options::options_description known_options() {
  options::options_description known("Options");
  known.add_options()("help,h", "")                                                              //
      ("targets", options::value<uint32_t>()->default_value(4096), "checked every second each")  //
      ("seconds", options::value<uint32_t>()->default_value(5), "to measure, after two more")    //
      ("type", options::value<std::string>()->default_value("tcp"), "tcp or http");
  return known;
}

// Each at an address of its own.
health::CheckedScope scope_of(const Wanted& wanted, uint16_t port) {
  health::CheckedScope scope{.id = "bench", .check = {}, .check_hash = 0, .targets = {}};
  scope.check.type = wanted.type;
  scope.check.concurrency = health::kMostUnderWay;
  scope.check_hash = hash_of(scope.check);
  for (uint32_t i = 0; i < wanted.targets; ++i) {
    const std::string address = "127." + std::to_string(1 + i / 65536) + "." +
                                std::to_string(i / 256 % 256) + "." + std::to_string(i % 256);
    scope.targets.push_back(
        {.identity = address, .addresses = {*IpAddress::parse(address)}, .port = port});
  }
  return scope;
}

double thread_seconds() {
  timespec used = {};
  RP_CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

// Whether every target came up, and stayed so.
bool measure(const Wanted& wanted) {
  const Peer peer(wanted.type);
  boost::asio::io_context io;
  uint32_t up = 0;
  uint32_t down = 0;
  health::Checker checker(io, health::make_network_prober(io),
                          {[&](const health::VerdictChange& change) {
                             ++(change.health == engine::Health::kUp ? up : down);
                           },
                           [](const std::string& fault) {
                             std::fprintf(stderr, "bench_health: %s\n", fault.c_str());
                           }});
  checker.set_targets({scope_of(wanted, peer.port())});
  io.run_for(seconds(2));
  const uint64_t started = checker.figures().started;
  const double before = thread_seconds();
  io.run_for(seconds(wanted.seconds));
  const double used = thread_seconds() - before;
  const health::Checker::Figures figures = checker.figures();
  const double checks = static_cast<double>(figures.started - started);
  const auto delay = std::chrono::duration<double, std::milli>(figures.largest_delay);
  std::printf("targets                       %8u  (%u up, %u fell)\n", wanted.targets, up, down);
  std::printf("checks a second               %8.0f\n", checks / wanted.seconds);
  std::printf("CPU time of a check           %8.1f us\n", used / checks * 1e6);
  std::printf("CPU time of all               %8.1f %% of a processor\n",
              used / wanted.seconds * 100);
  std::printf("largest delay of a due check  %8.1f ms\n", delay.count());
  return up == wanted.targets && down == 0;
}

int run(int argc, char** argv) {
  const options::options_description known = known_options();
  options::variables_map given;
  options::store(options::parse_command_line(argc, argv, known), given);
  if (given.contains("help")) {
    std::printf("tools/bench/health [OPTION...]\n\n");
    std::ostringstream text;
    text << known;
    std::printf("%s", text.str().c_str());
    return 0;
  }
  const auto type = type_named(given["type"].as<std::string>());
  const Wanted wanted{.targets = given["targets"].as<uint32_t>(),
                      .seconds = given["seconds"].as<uint32_t>(),
                      .type = type.value_or(control::CheckType::kTcp)};
  const bool fits = wanted.targets > 0 && wanted.targets <= kMostTargets && wanted.seconds > 0;
  if (!type || !fits) {
    std::fprintf(stderr, "bench_health: --targets 1 to %u, --seconds from 1, --type tcp or http\n",
                 kMostTargets);
    return static_cast<int>(Code::kUsage);
  }
  return measure(wanted) ? 0 : static_cast<int>(Code::kFailed);
}

}  // namespace
}  // namespace rampart::bench

int main(int argc, char** argv) {
  try {
    return rampart::bench::run(argc, argv);
  } catch (const boost::program_options::error& error) {
    std::fprintf(stderr, "bench_health: %s\n", error.what());
    return static_cast<int>(rampart::Code::kUsage);
  }
}
