// SPDX-License-Identifier: Apache-2.0
// Does a plan, write by write, and keeps `observed` true to what was done.
#ifndef RAMPART_USERSPACE_CONTROL_APPLY_H_
#define RAMPART_USERSPACE_CONTROL_APPLY_H_

#include <cstdint>
#include <map>

#include "base/result.h"
#include "control/observed.h"
#include "control/plan.h"
#include "maps/grace.h"
#include "maps/map_store.h"

namespace rampart::control {

// Stops at the first write that fails and says which: there is no way back, the next plan is made
// from what then is. One grace period is asked for, after the last write, for all that the plan let
// go of. Adds the slots moved to `moved`, by VIP.
struct Applied {
  Result<void> outcome;
  size_t writes = 0;  // done
  std::map<VipAddress, SlotMoves> moved;
};
Applied apply(Plan plan, Observed& observed, maps::MapStore& store, maps::GracePeriods& grace);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_APPLY_H_
