// SPDX-License-Identifier: Apache-2.0
// What the daemon's sweep of the flow table costs, with the flows of the largest case live.
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_SWEEP_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_SWEEP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/src/xdp/subjects.h"

namespace rampart::bench {

constexpr double kSweepPeriod = 5;           // seconds from one pass to the next (daemon.cc)
constexpr double kMostOfACpu = 2;            // percent that a pass may take of it
constexpr uint64_t kFlowsOfBar = 1'000'000;  // with as many live flows

struct SweepCost {
  uint64_t flows = 0;                // live ones that a pass met
  std::vector<double> milliseconds;  // CPU time of a pass, by round

  double percent_of_a_cpu() const;
  bool is_met() const { return percent_of_a_cpu() <= kMostOfACpu; }
};

// Nothing if the subject has no table of ours, or fewer flows than the bar is about.
std::optional<SweepCost> measure_sweep(const Subject& subject, uint32_t rounds);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_SWEEP_H_
