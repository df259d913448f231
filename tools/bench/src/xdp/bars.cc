// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/bars.h"

#include "bench/src/quantile.h"

namespace rampart::bench {
namespace {

constexpr char kRoundRobin[] = "l2-roundrobin-16";
constexpr char kLeastConn[] = "l2-least_conn-16";

std::vector<Bar> bars() {
  return {
      {"new", kL2, kLru, 0.65},     {"live_1", kL2, kLru, 1.2},
      {"live_64k", kL2, kLru, 0.9}, {"live_1m", kL2, kLru, 1.1},
      {"live_1", kL2, kBare, 2.5},  {"not_ours", kL2, kBare, 1.3},
      {"live_1", kNat, kL2, 1.4},   {"new", kLeastConn, kRoundRobin, 1.5},
  };
}

}  // namespace

std::vector<Judged> judge(const Cells& cells) {
  std::vector<Judged> judged;
  for (const Bar& bar : bars()) {
    const Cell* cell = cells.find(bar.kase, bar.subject);
    const Cell* to = cells.find(bar.kase, bar.to);
    Judged one = {.bar = bar, .figure = std::nullopt, .with_replay = std::nullopt};
    if (cell != nullptr && to != nullptr) {
      one.figure = median(cells.ratios(*cell, *to));
      one.with_replay = median(cell->nanoseconds) / median(to->nanoseconds);
    }
    judged.push_back(one);
  }
  return judged;
}

}  // namespace rampart::bench
