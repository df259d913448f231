// SPDX-License-Identifier: Apache-2.0
// The slot table that each VIP should have next.
#ifndef RAMPART_USERSPACE_CONTROL_TABLES_H_
#define RAMPART_USERSPACE_CONTROL_TABLES_H_

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "base/ids.h"
#include "control/desired.h"
#include "engine/slots.h"

namespace rampart::control {

struct NextTable {
  engine::SlotTable slots;
  uint32_t moved = 0;  // slots that change owner; 0: the table stays as it is
};

// Apportions, and moves the former table the shortest way towards the goal. Remembers each VIP's
// goal table: a ramp changes the counts every interval, the goal only when nodes or target weights
// change.
class Tables {
 public:
  // `former` may be empty (no table yet) or of another size: the result is then the goal table.
  // REQUIRES: `ids` has one id for each of vip.backends, in their order.
  NextTable next(const DesiredVip& vip, const engine::SlotTable& former,
                 std::span<const BackendId> ids);
  // Forgets all VIPs but these.
  void keep(const std::set<VipAddress>& vips) {
    std::erase_if(goals_, [&](const auto& goal) { return !vips.contains(goal.first); });
  }

 private:
  struct Goal {
    std::vector<engine::GoalNode> nodes;  // what it was made from
    uint32_t size = 0;
    uint64_t seed = 0;
    engine::SlotTable table;
  };
  const engine::SlotTable& goal_of(const DesiredVip& vip, std::span<const BackendId> ids);

  std::map<VipAddress, Goal> goals_;
};

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_TABLES_H_
