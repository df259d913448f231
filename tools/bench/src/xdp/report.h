// SPDX-License-Identifier: Apache-2.0
// The figures, for people and for programs.
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_REPORT_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "bench/src/xdp/measure.h"
#include "bench/src/xdp/subjects.h"
#include "bench/src/xdp/sweep.h"

namespace rampart::bench {

struct Report {
  const Effort& effort;
  const std::vector<Subject>& subjects;
  const Cells& cells;
  const std::optional<SweepCost>& sweep;  // none: not measured
};

std::string as_table(const Report& report);
std::string as_json(const Report& report);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_REPORT_H_
