// SPDX-License-Identifier: Apache-2.0
// The slot table of the pool's VIP, kept as the daemon keeps it: exact counts (W5), the fewest moves
// (W6), towards the goal (W7). It outlives a restart (W8). W7's refill between ramps is left out: it
// changes no count.
#ifndef RAMPART_TOOLS_SIMULATE_VIP_TABLE_H_
#define RAMPART_TOOLS_SIMULATE_VIP_TABLE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "engine/slots.h"
#include "engine/snapshot.h"

namespace rampart::simulate {

class VipTable {
 public:
  VipTable(uint32_t size, uint64_t seed) : seed_(seed), table_(size) {}

  // Goes to the weights of `scope`; returns how many slots changed owner. A table that is made, the
  // first or the one after lose(), is not moved.
  uint32_t follow(const engine::ScopeState& scope);
  // The kernel's maps are gone: the next table is made from the goal.
  void lose();

  bool is_made() const { return is_made_; }
  uint32_t size() const { return static_cast<uint32_t>(table_.size()); }
  uint32_t slots_of(const Identity& node) const;
  // Empty if nobody owns it. REQUIRES: slot < size().
  Identity owner_of(uint32_t slot) const;

 private:
  // One backend: a node at one of its addresses (B1, S4.5).
  using Backend = std::pair<Identity, std::string>;

  uint64_t seed_;
  engine::GoalTable goal_;
  engine::SlotTable table_;
  bool is_made_ = false;
  std::map<Backend, engine::Owner> owners_;  // a number is never given twice (B5)
  std::map<engine::Owner, Identity> nodes_;
  std::map<Identity, uint32_t> slots_;
};

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_VIP_TABLE_H_
