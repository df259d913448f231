// SPDX-License-Identifier: Apache-2.0
// The packet path cut off after each of its steps (ladder.bpf.c), over the maps of the whole one: it
// tells where the nanoseconds go.
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_LADDER_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_LADDER_H_

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/src/xdp/pinned.h"

struct ladder_bpf;

namespace rampart::bench {

struct Rung {
  const char* subject;  // the subject's name
  const char* step;     // what it does more than the one before, for people
};
// In the order of the path. What the whole program does beyond the last is to count.
const std::vector<Rung>& rungs();

class Ladder {
 public:
  // Over the maps that are pinned in `folder`, of an instance with this setting.
  static Result<std::shared_ptr<Ladder>> load(const std::string& folder, const Setting& setting);
  ~Ladder();
  Ladder(const Ladder&) = delete;

  // The programs, in the order of rungs().
  std::vector<int> program_fds() const;

 private:
  Ladder() = default;
  ladder_bpf* skeleton_ = nullptr;
};

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_LADDER_H_
