// SPDX-License-Identifier: Apache-2.0
// A run as a table for people.
#ifndef RAMPART_TOOLS_SIMULATE_TABULATE_H_
#define RAMPART_TOOLS_SIMULATE_TABULATE_H_

#include <string>
#include <vector>

#include "base/time.h"
#include "simulate/run.h"

namespace rampart::simulate {

enum class Detail {
  kSome,  // every moment, and about twenty times between
  kAll,   // every step
};

// Cells of rows. A heading that begins with '>' is of a column of numbers.
struct Tabulation {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
};

// One row a node; nodes of a big pool that are alike share one.
Tabulation tabulate(const Run& run, Detail detail);

// Every moment, the last sample, and of the others one in `step` at most. What is counted between
// two of them is in the later one.
std::vector<Sample> thinned(const std::vector<Sample>& samples, Duration step);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_TABULATE_H_
