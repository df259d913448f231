// SPDX-License-Identifier: Apache-2.0
// Runs a scenario through the engine alone, and keeps what could be seen at each step.
#ifndef RAMPART_TOOLS_SIMULATE_RUN_H_
#define RAMPART_TOOLS_SIMULATE_RUN_H_

#include <map>
#include <string>
#include <vector>

#include "engine/snapshot.h"
#include "simulate/scenario.h"

namespace rampart::simulate {

// With traffic there is something to see at any time: at most this many samples show it.
inline constexpr int kTicks = 240;
inline constexpr double kShortestTick = 0.1;  // s

// What the engine's state does not say of a node. A node that left stands here as long as it holds
// requests.
struct NodeCounts {
  uint32_t slots = 0;
  int64_t gained = 0;     // slots since the last sample; negative: lost
  uint64_t requests = 0;  // since the last sample
  uint64_t in_flight = 0;
};

struct Sample {
  TimePoint at{};
  int line = 0;                         // of the moment; 0: time passed
  std::vector<std::string> happened{};  // "add c"
  engine::ScopeState scope{};
  std::map<Identity, NodeCounts> counts{};
  uint64_t slots = 0;     // of all nodes
  uint32_t moved = 0;     // slots that changed owner since the last sample
  uint64_t unserved = 0;  // requests without a backend since the last sample
};

// What the engine reported (S3.24).
struct Happening {
  TimePoint at{};
  std::string kind{};
  Identity node{};
  std::string reason{};
};

struct Failure {
  int line = 0;
  std::string text{};
};

struct Run {
  std::vector<Sample> samples{};  // never empty
  std::vector<Happening> happenings{};
  std::vector<Failure> failures{};  // what did not hold, in the order of the file
};

// `seed` decides what is drawn and the goal of the slot table. A scenario and a seed have one run.
Run run_scenario(const Scenario& scenario, uint64_t seed);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_RUN_H_
