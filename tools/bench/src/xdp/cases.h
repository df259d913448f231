// SPDX-License-Identifier: Apache-2.0
// What packets are sent to a program, and what must become of them.
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_CASES_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/src/xdp/replay.h"
#include "rampart/outcomes.h"

namespace rampart::bench {

// How many of a case's packets begin a flow. Checked at every run: a case that does something else
// than it says is no figure.
enum class Begins { kNone, kEach, kFew };

struct Case {
  std::string name;
  std::string meaning;
  Stream stream;
  Begins begins = Begins::kNone;
  bool is_primed = false;  // each of its flows has sent a SYN and an ACK before
  rp_outcome outcome = RP_forward_tx;

  uint32_t live_flows() const { return is_primed ? stream.flows : 0; }
};

// Flow numbers of live flows begin at 0, so that the flows of a smaller case are among those of a
// larger one. Those of new flows lie in the upper half and come again only after 2^27 packets, when
// the former ones are long gone.
const std::vector<Case>& all_cases();

// Those named, in the order of all_cases(); all for an empty list.
Result<std::vector<Case>> cases_named(const std::vector<std::string>& names);

// What brings a case's flows to life, in turn: the case itself then visits them scattered.
Stream syn_of(const Case& live);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_CASES_H_
