// SPDX-License-Identifier: Apache-2.0
// The periodic reconcile (O6): the maps are read back, and what is no longer what was written to them is
// written again. Nobody else has a reason to write them; a person with bpftool, another program or a
// fault of ours can all the same, and traffic must not suffer from it for good.
//
// Other than a plan, which goes from one right state to another, this mends: it keeps ids, numbers and
// tables, so that no flow moves. What it cannot know is left: counters, flows, and the key of their tags.
#ifndef RAMPART_USERSPACE_CONTROL_REPAIR_H_
#define RAMPART_USERSPACE_CONTROL_REPAIR_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "control/observed.h"
#include "maps/grace.h"
#include "maps/map_store.h"

namespace rampart::control {

struct Repairs {
  // What was mended, one a line: "rp_vips: 203.0.113.10:80/tcp was missing".
  std::vector<std::string> lines;
  Result<void> outcome{};  // the write that failed, and ended it
};

// Costs a look at every slot: 0.1 ms for a VIP of the default table size.
Repairs repair(Observed& observed, maps::MapStore& store, maps::GracePeriods& grace);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_REPAIR_H_
