// SPDX-License-Identifier: Apache-2.0
// What is left of the figures of many rounds.
#ifndef RAMPART_TOOLS_BENCH_SRC_QUANTILE_H_
#define RAMPART_TOOLS_BENCH_SRC_QUANTILE_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace rampart::bench {

// The value below which `part` (0 to 1) of the values lie, between two of them by proportion; 0 of none.
inline double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = part * static_cast<double>(values.size() - 1);
  const size_t below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, values.size() - 1);
  const double rest = place - static_cast<double>(below);
  return values[below] * (1 - rest) + values[above] * rest;
}

inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_QUANTILE_H_
