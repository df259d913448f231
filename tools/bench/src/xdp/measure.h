// SPDX-License-Identifier: Apache-2.0
// Rounds over cases and subjects, and what they say: medians, so that a busy moment of the machine
// spoils no figure, of rounds that are interleaved, so that it spoils no comparison.
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_MEASURE_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_MEASURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/src/xdp/cases.h"
#include "bench/src/xdp/replay.h"
#include "bench/src/xdp/subjects.h"

namespace rampart::bench {

struct Effort {
  uint32_t rounds = 9;
  uint32_t packets = 200000;  // of a run: one case of one subject in one round
};

// Packets that are not timed, before a run: they bring code and tables into the caches, as the
// packets of a busy machine do.
uint32_t warm_up_of_new(uint32_t packets);

// A case of a subject.
struct Cell {
  std::string kase;
  std::string subject;
  std::vector<double> nanoseconds;  // of a packet, by round, as the replay took it
};

class Cells {
 public:
  explicit Cells(std::vector<Cell> cells) : cells_(std::move(cells)) {}

  const std::vector<Cell>& all() const { return cells_; }
  // nullptr if that was not measured.
  const Cell* find(const std::string& kase, const std::string& subject) const;
  // What the program itself took, by round: less what the replay takes with a target that returns at
  // once, in the same case and round.
  std::vector<double> net(const Cell& cell) const;
  // Of two cells round by round, so that what slows both alike falls out. REQUIRES: both are of this.
  std::vector<double> ratios(const Cell& cell, const Cell& to) const;

 private:
  std::vector<Cell> cells_;
};

// Primes the live flows of every subject, then measures. An error if a packet became something else
// than its case says.
Result<Cells> measure(Replay& replay, const std::vector<Case>& cases,
                      const std::vector<Subject>& subjects, const Effort& effort);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_MEASURE_H_
