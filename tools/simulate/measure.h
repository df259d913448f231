// SPDX-License-Identifier: Apache-2.0
// Holds what a scenario expects to what a sample shows.
#ifndef RAMPART_TOOLS_SIMULATE_MEASURE_H_
#define RAMPART_TOOLS_SIMULATE_MEASURE_H_

#include <map>
#include <string>

#include "simulate/run.h"
#include "simulate/scenario.h"

namespace rampart::simulate {

// What added up since the moment above.
struct SinceMoment {
  uint64_t moved = 0;
  std::map<Identity, uint64_t> requests{};
};

// Why it does not hold, in a sentence; empty if it does.
std::string unmet(const Expectation& expected, const Sample& sample, const SinceMoment& since);

// Slots in percent of the table; 0 if nobody owns any.
double share_of(const Sample& sample, const Identity& node);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_MEASURE_H_
