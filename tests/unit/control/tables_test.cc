// SPDX-License-Identifier: Apache-2.0
#include "control/tables.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace rampart::control {
namespace {

struct Weights {
  uint32_t effective;
  uint32_t target;
};
constexpr Weights kFull{100, 100};
constexpr Weights kAway{0, 100};

// A VIP over nodes whose ids are 1, 2, … in this order.
DesiredVip vip_of(const std::vector<Weights>& nodes) {
  DesiredVip vip{};
  vip.settings.table_size = 251;
  vip.goal_seed = 7;
  vip.refill_slots = 64;
  for (const Weights& weights : nodes) {
    vip.backends.push_back({.key = {},
                            .scope = "orders",
                            .identity = "node " + std::to_string(vip.backends.size() + 1),
                            .effective = Weight::whole(weights.effective),
                            .target = weights.target});
  }
  return vip;
}

NextTable next(Tables& tables, const DesiredVip& vip, const engine::SlotTable& former,
               Refill refill = Refill::kNotNow) {
  std::vector<BackendId> ids;
  for (size_t i = 1; i <= vip.backends.size(); ++i) ids.push_back(static_cast<BackendId>(i));
  return tables.next(vip, former, ids, refill);
}

engine::SlotTable fresh(const DesiredVip& vip) {
  Tables tables;
  return next(tables, vip, {}).slots;
}

int64_t slots_of(engine::Owner owner, const engine::SlotTable& table) {
  return std::count(table.begin(), table.end(), owner);
}

size_t differences(const engine::SlotTable& a, const engine::SlotTable& b) {
  size_t count = 0;
  for (size_t slot = 0; slot < a.size(); ++slot) count += a[slot] != b[slot];
  return count;
}

// What refills make of a table whose counts are right.
engine::SlotTable refilled(Tables& tables, const DesiredVip& vip, engine::SlotTable table) {
  for (int second = 0; second < 10; ++second) {
    NextTable step = next(tables, vip, table, Refill::kNow);
    if (step.slots.empty()) break;
    table = std::move(step.slots);
  }
  return table;
}

// As many slots, but two of them off their place.
engine::SlotTable with_a_swap(engine::SlotTable table) {
  const auto other = std::find_if(table.begin(), table.end(),
                                  [&](engine::Owner owner) { return owner != table.front(); });
  std::iter_swap(table.begin(), other);
  return table;
}

// W7: balancers that see the same nodes agree, whatever they saw before.
TEST(Tables, AFreshTableIsTheGoalOfTheWeightsAsTheyAre) {
  Tables used;
  next(used, vip_of({{10, 10}, {30, 30}}), {});
  for (const uint32_t weight : {200u, 0u, 31u}) {
    const DesiredVip vip = vip_of({{10, 10}, {weight, weight}});
    EXPECT_EQ(next(used, vip, {}).slots, fresh(vip));
  }
}

// W7: the goal is made of target weights, so a table seen halfway through a ramp lacks of it just
// what the newcomer does not own yet.
TEST(Tables, ARampSeenHalfwayMovesTowardsTheGoalOfTargetWeights) {
  const engine::SlotTable goal = fresh(vip_of({kFull, {50, 50}, kFull}));
  const DesiredVip halfway = vip_of({kFull, {50, 50}, {10, 100}});
  const engine::SlotTable all_of_one_that_left(goal.size(), 9);
  for (const engine::SlotTable& former : {engine::SlotTable(), all_of_one_that_left}) {
    Tables tables;
    const engine::SlotTable table = next(tables, halfway, former).slots;
    EXPECT_EQ(differences(table, goal), slots_of(3, goal) - slots_of(3, table));
  }
}

// W7
TEST(Tables, NothingIsRefilledWhileAWeightIsOnItsWay) {
  Tables tables;
  const DesiredVip vip = vip_of({kFull, kFull, {50, 100}});
  const NextTable table = next(tables, vip, with_a_swap(fresh(vip)), Refill::kNow);
  EXPECT_THAT(table.slots, testing::IsEmpty());
  EXPECT_EQ(table.moves.refill, 0u);
  EXPECT_FALSE(table.off_goal);
}

// W7: only a node that takes flows can be on its way.
TEST(Tables, ATableIsRefilledWhileANodeIsAway) {
  Tables tables;
  const DesiredVip vip = vip_of({kFull, kAway, kFull});
  const engine::SlotTable goal = fresh(vip);
  const NextTable table = next(tables, vip, with_a_swap(goal), Refill::kNow);
  EXPECT_EQ(table.slots, goal);
  EXPECT_EQ(table.moves.refill, 2u);
  EXPECT_EQ(slots_of(2, goal), 0);
}

// W10: its own slots, and at most one more for each other node; the goal gives them back.
TEST(Tables, ANodeThatGoesAwayMovesItsSlotsAndGetsThemBack) {
  const DesiredVip all = vip_of({kFull, kFull, {30, 30}, {7, 7}});
  const DesiredVip less = vip_of({kFull, kAway, {30, 30}, {7, 7}});
  Tables tables;
  const engine::SlotTable before = fresh(all);
  const engine::SlotTable without = next(tables, less, before).slots;
  EXPECT_EQ(slots_of(2, without), 0);
  EXPECT_LE(differences(before, without), slots_of(2, before) + 3);
  const engine::SlotTable away = refilled(tables, less, without);
  EXPECT_EQ(away, fresh(less));
  EXPECT_EQ(refilled(tables, all, next(tables, all, away).slots), before);
}

}  // namespace
}  // namespace rampart::control
