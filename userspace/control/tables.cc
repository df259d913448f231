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

// W7, of a table whose counts are right while nothing ramps.
NextTable refilled(const engine::SlotTable& former, const engine::SlotTable& goal,
                   uint32_t refill_slots, Refill refill) {
  NextTable next;
  next.off_goal = former != goal;
  if (!next.off_goal || refill == Refill::kNotNow) return next;
  next.slots = former;
  next.moves.refill = engine::refill(next.slots, goal, refill_slots).size();
  return next;
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
  return goals_[vip.address].follow(std::move(nodes), vip.settings.table_size, vip.goal_seed);
}

Tables::Inputs Tables::inputs_of(const DesiredVip& vip, const engine::SlotTable& former,
                                 std::span<const BackendId> ids) {
  Inputs inputs{.former = former.data(),
                .size = former.size(),
                .table_size = vip.settings.table_size,
                .refill_slots = vip.refill_slots,
                .goal_seed = vip.goal_seed,
                .nodes = {}};
  inputs.nodes.reserve(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    inputs.nodes.push_back({ids[i], vip.backends[i].effective.raw(), vip.backends[i].target});
  }
  return inputs;
}

NextTable Tables::next(const DesiredVip& vip, const engine::SlotTable& former,
                       std::span<const BackendId> ids, Refill refill) {
  RP_CHECK(ids.size() == vip.backends.size());
  Inputs inputs = inputs_of(vip, former, ids);
  const auto settled = settled_.find(vip.address);
  if (settled != settled_.end() && settled->second == inputs) return {};
  NextTable next = make_next(vip, former, ids, refill);
  if (next.slots.empty() && !next.off_goal) {
    settled_.insert_or_assign(vip.address, std::move(inputs));
  } else {
    settled_.erase(vip.address);
  }
  return next;
}

NextTable Tables::make_next(const DesiredVip& vip, const engine::SlotTable& former,
                            std::span<const BackendId> ids, Refill refill) {
  const std::vector<engine::OwnerSlots> counts = counts_of(vip, ids);
  const uint32_t size = vip.settings.table_size;
  const bool same_size = former.size() == size;
  const bool same_counts = same_size && has_counts(former, counts);
  if (same_counts && (vip.refill_slots == 0 || ramps(vip))) return {};

  const engine::SlotTable& goal = goal_of(vip, ids);
  if (same_counts) return refilled(former, goal, vip.refill_slots, refill);
  NextTable next;
  next.slots = same_size ? former : goal;
  const size_t moved = engine::retarget(next.slots, goal, counts).size();
  next.moves.retarget = same_size ? moved : size;
  return next;
}

}  // namespace rampart::control
