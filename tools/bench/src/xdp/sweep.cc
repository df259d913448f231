// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/sweep.h"

#include "bench/src/quantile.h"

namespace rampart::bench {
double SweepCost::percent_of_a_cpu() const {
  return 100 * median(milliseconds) / (kSweepPeriod * 1e3);
}

std::optional<SweepCost> measure_sweep(const Subject& subject, uint32_t rounds) {
  if (!subject.sweep) return std::nullopt;
  SweepCost cost;
  for (uint32_t round = 0; round < rounds; ++round) {
    const Pass pass = subject.sweep();
    cost.flows = pass.flows;
    cost.milliseconds.push_back(pass.milliseconds);
  }
  return cost.flows >= kFlowsOfBar ? std::optional(cost) : std::nullopt;
}

}  // namespace rampart::bench
