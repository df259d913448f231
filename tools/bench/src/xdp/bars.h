// SPDX-License-Identifier: Apache-2.0
// What the packet path may cost at most, in comparison: times alone say little on a shared machine.
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_BARS_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_BARS_H_

#include <optional>
#include <string>
#include <vector>

#include "bench/src/xdp/measure.h"

namespace rampart::bench {

struct Bar {
  std::string kase;
  std::string subject;
  std::string to;  // the subject that it is compared with, in the same case
  double at_most = 0;
};

struct Judged {
  Bar bar;
  std::optional<double> figure;  // the median of the ratios of all rounds; none: not measured
  // The same with what the replay takes, which is more than a small program does.
  std::optional<double> with_replay;
  bool is_met() const { return figure && *figure <= bar.at_most; }
};

// Every bar, in a fixed order, whether or not its subjects were measured.
std::vector<Judged> judge(const Cells& cells);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_BARS_H_
