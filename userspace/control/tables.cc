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
                       std::span<const BackendId> ids) {
  RP_CHECK(ids.size() == vip.backends.size());
  const std::vector<engine::OwnerSlots> counts = counts_of(vip, ids);
  const uint32_t size = vip.settings.table_size;
  if (former.size() == size && has_counts(former, counts)) return {};

  const engine::SlotTable& goal = goal_of(vip, ids);
  NextTable next;
  next.slots = former.size() == size ? former : goal;
  const auto changes = engine::retarget(next.slots, goal, counts);
  next.moved = former.size() == size ? static_cast<uint32_t>(changes.size()) : size;
  return next;
}

}  // namespace rampart::control
