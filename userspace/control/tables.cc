// SPDX-License-Identifier: Apache-2.0
#include "control/tables.h"

#include <algorithm>

#include "base/check.h"
#include "engine/apportion.h"

namespace rampart::control {
namespace {

std::vector<engine::OwnerSlots> counts_of(const DesiredVip& vip, std::span<const BackendId> ids) {
  std::vector<Weight> weights;
  for (const DesiredBackend& backend : vip.backends) weights.push_back(backend.effective);
  const std::vector<uint32_t> slots = engine::apportion(weights, vip.settings.table_size);
  std::vector<engine::OwnerSlots> counts;
  for (size_t i = 0; i < ids.size(); ++i) counts.push_back({raw(ids[i]), slots[i]});
  return counts;
}

// Whether a table already has exactly these counts, and no other owner.
bool has_counts(const engine::SlotTable& table, std::span<const engine::OwnerSlots> counts) {
  std::vector<uint32_t> owned(UINT16_MAX + 1);
  for (const engine::Owner owner : table) ++owned[owner];
  uint32_t expected = 0;
  for (const auto& [owner, slots] : counts) {
    if (owned[owner] != slots) return false;
    expected += slots;
  }
  return expected == table.size() || owned[engine::kNobody] == table.size();
}

// Whether a weight is still on its way: then the goal is not what the table should be yet.
bool ramps(const DesiredVip& vip) {
  return std::any_of(vip.backends.begin(), vip.backends.end(), [](const DesiredBackend& backend) {
    return backend.effective > Weight() && backend.effective != Weight::whole(backend.target);
  });
}

bool same_nodes(const std::vector<engine::GoalNode>& a, const std::vector<engine::GoalNode>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.owner == y.owner && x.slots == y.slots && x.identity == y.identity;
  });
}

}  // namespace

const engine::SlotTable& Tables::goal_of(const DesiredVip& vip, std::span<const BackendId> ids) {
  std::vector<Weight> targets;
  for (const DesiredBackend& backend : vip.backends) {
    targets.push_back(Weight::whole(backend.effective.raw() > 0 ? backend.target : 0));
  }
  const std::vector<uint32_t> slots = engine::apportion(targets, vip.settings.table_size);
  std::vector<engine::GoalNode> nodes;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (slots[i] > 0) nodes.push_back({raw(ids[i]), vip.backends[i].identity, slots[i]});
  }
  Goal& goal = goals_[vip.address];
  const uint32_t size = vip.settings.table_size;
  if (goal.size != size || goal.seed != vip.goal_seed || !same_nodes(goal.nodes, nodes)) {
    goal.table = engine::goal_table(nodes, size, vip.goal_seed);
    goal.nodes = std::move(nodes);
    goal.size = size;
    goal.seed = vip.goal_seed;
  }
  return goal.table;
}

NextTable Tables::next(const DesiredVip& vip, const engine::SlotTable& former,
                       std::span<const BackendId> ids, Refill refill) {
  RP_CHECK(ids.size() == vip.backends.size());
  const std::vector<engine::OwnerSlots> counts = counts_of(vip, ids);
  const uint32_t size = vip.settings.table_size;
  NextTable next;
  if (former.size() != size) {
    next.slots = goal_of(vip, ids);
    engine::retarget(next.slots, goal_of(vip, ids), counts);
    next.moves.retarget = size;
  } else if (!has_counts(former, counts)) {
    next.slots = former;
    next.moves.retarget = engine::retarget(next.slots, goal_of(vip, ids), counts).size();
  } else if (vip.refill_slots > 0 && !ramps(vip) && former != goal_of(vip, ids)) {
    next.off_goal = true;
    if (refill == Refill::kNotNow) return next;
    next.slots = former;
    next.moves.refill = engine::refill(next.slots, goal_of(vip, ids), vip.refill_slots).size();
  }
  return next;
}

}  // namespace rampart::control
