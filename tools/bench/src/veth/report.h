// SPDX-License-Identifier: Apache-2.0
// Rates of all contestants by round, and what they say of Rampart against the others.
#ifndef RAMPART_TOOLS_BENCH_SRC_VETH_REPORT_H_
#define RAMPART_TOOLS_BENCH_SRC_VETH_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace rampart::bench {

struct Effort {
  uint32_t rounds = 0;
  uint32_t frames = 0;  // of a contestant in a round
};

struct Rates {
  std::string contestant;
  std::vector<double> millions;  // of frames a second, by round
};

std::string as_table(const Effort& effort, const std::vector<Rates>& all);
std::string as_json(const Effort& effort, const std::vector<Rates>& all);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_VETH_REPORT_H_
