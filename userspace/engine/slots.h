// SPDX-License-Identifier: Apache-2.0
// Slot tables: which node owns which slot, and the shortest way from one division to the next
// (W5–W8).
//
// Exact, minimal and history-free cannot all hold: a table that is a function of the weights alone
// moves more slots than it must at every step (a Maglev refill at each step of a 300-step ramp
// moves 2 to 16 times as many: docs/decisions/0005). Rampart keeps exact and minimal and steers each
// move towards a history-free goal table.
//
// A share is spread evenly over the table at every step: roundrobin walks the table slot by slot, so
// a share that is bunched somewhere would be all of a minute's flows and none of the next minute's.
#ifndef RAMPART_USERSPACE_ENGINE_SLOTS_H_
#define RAMPART_USERSPACE_ENGINE_SLOTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rampart::engine {

// Owner of a slot: a number that the caller gives to each node; 0 = no owner. The daemon uses
// backend ids, so that a table is what the kernel reads.
using Owner = uint16_t;
inline constexpr Owner kNobody = 0;

using SlotTable = std::vector<Owner>;  // its length is the table size

// Whether a table may have this size: only with a prime does a goal table's walk meet every slot.
bool is_table_size(uint32_t size);

struct OwnerSlots {
  Owner owner;
  uint32_t slots;
};

struct SlotChange {
  uint32_t slot;
  Owner owner;  // the new one
};

struct GoalNode {
  Owner owner;
  std::string identity;  // decides the node's order of preference: equal on every balancer
  uint32_t slots;        // exact number to own

  bool operator==(const GoalNode&) const = default;
};

// The goal table (W7): a Maglev fill (Eisenbud et al., NSDI 2016, section 3.4) in which a node
// stops taking turns once it owns its exact count. A pure function of identities, counts, size and
// seed: owners only label the result. REQUIRES: `table_size` is prime; the counts sum to it, or are
// all zero (then the table is empty); identities are unique.
SlotTable goal_table(std::vector<GoalNode> nodes, uint32_t table_size, uint64_t seed);

// The goal table of nodes that seldom change: a ramp changes counts every interval, the goal only when
// nodes or target weights change, and filling it costs more than a step does.
class GoalTable {
 public:
  // The goal of these nodes, filled only if something differs from the last call. REQUIRES: as
  // goal_table().
  const SlotTable& follow(std::vector<GoalNode> nodes, uint32_t table_size, uint64_t seed);
  // As of the last call.
  const SlotTable& table() const { return table_; }

 private:
  std::vector<GoalNode> nodes_;  // what it was filled from, and with
  uint64_t seed_ = 0;
  SlotTable table_;
};

// Moves `table` to `counts`, changing as few slots as possible, towards `goal` first. Returns the
// slots that changed, ascending. An owner absent from `counts` loses all its slots; if all counts
// are zero the table becomes empty: no slot keeps a stale owner (W3). REQUIRES: the counts sum to
// table.size(), or are all zero; goal.size() == table.size().
std::vector<SlotChange> retarget(SlotTable& table, const SlotTable& goal,
                                 std::span<const OwnerSlots> counts);

// Swaps owners between slots towards the goal, changing at most `most` slots and no count (W7: the
// refill). Returns the slots that changed, ascending; none when the table is the goal, or `most` is
// below the 2 that a swap takes. REQUIRES: every owner has as many slots in both.
std::vector<SlotChange> refill(SlotTable& table, const SlotTable& goal, uint32_t most);

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_SLOTS_H_
