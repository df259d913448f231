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

// Slots that changed owner, by cause: the fewest that counts ask for (W6), and those that go back to
// their place once nothing ramps (W7).
struct SlotMoves {
  uint64_t retarget = 0;
  uint64_t refill = 0;

  SlotMoves& operator+=(const SlotMoves& more) {
    retarget += more.retarget;
    refill += more.refill;
    return *this;
  }
};

struct NextTable {
  engine::SlotTable slots;  // empty: the table stays as it is
  SlotMoves moves;
  bool off_goal = false;  // nothing ramps, and a refill has more to do
};

enum class Refill { kNotNow, kNow };

// Apportions, and moves the former table the shortest way towards the goal. Remembers each VIP's
// goal table, and what was last found to need nothing: a look at every slot of every VIP, at each change of
// any weight, is most of what a change costs where there are hundreds.
class Tables {
 public:
  // `former` may be empty (no table yet) or of another size: the result is then the goal table.
  // A table whose counts are right is swapped towards the goal, if `refill` allows it now.
  // REQUIRES: `ids` has one id for each of vip.backends, in their order.
  NextTable next(const DesiredVip& vip, const engine::SlotTable& former,
                 std::span<const BackendId> ids, Refill refill);
  // Forgets all VIPs but these.
  void keep(const std::set<VipAddress>& vips) {
    std::erase_if(goals_, [&](const auto& goal) { return !vips.contains(goal.first); });
    std::erase_if(settled_, [&](const auto& one) { return !vips.contains(one.first); });
  }

 private:
  // All that a next table is made from.
  struct Inputs {
    struct Node {
      BackendId id;
      uint64_t effective;
      uint32_t target;
      bool operator==(const Node&) const = default;
    };
    const engine::Owner* former;  // the table itself, which nobody changes in place
    size_t size;
    uint32_t table_size;
    uint32_t refill_slots;
    uint64_t goal_seed;
    std::vector<Node> nodes;
    bool operator==(const Inputs&) const = default;
  };
  static Inputs inputs_of(const DesiredVip& vip, const engine::SlotTable& former,
                          std::span<const BackendId> ids);
  NextTable make_next(const DesiredVip& vip, const engine::SlotTable& former,
                      std::span<const BackendId> ids, Refill refill);
  const engine::SlotTable& goal_of(const DesiredVip& vip, std::span<const BackendId> ids);

  std::map<VipAddress, engine::GoalTable> goals_;
  std::map<VipAddress, Inputs> settled_;  // nothing was to do
};

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_TABLES_H_
