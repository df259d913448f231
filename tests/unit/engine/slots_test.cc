// SPDX-License-Identifier: Apache-2.0
#include "engine/slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace rampart::engine {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

MATCHER_P2(Change, slot, owner, "") {
  return arg.slot == slot && arg.owner == owner;
}

std::vector<SlotChange> retargeted(SlotTable& table, const SlotTable& goal,
                                   std::vector<OwnerSlots> counts) {
  return retarget(table, goal, counts);
}

TEST(GoalTable, HasTheExactCounts) {  // W7
  const SlotTable goal = goal_table({{7, "a", 3}, {8, "b", 10}, {9, "c", 0}}, 13, 1);
  EXPECT_EQ(std::count(goal.begin(), goal.end(), Owner{7}), 3);
  EXPECT_EQ(std::count(goal.begin(), goal.end(), Owner{8}), 10);
}

TEST(GoalTable, IsTheSameWhateverTheOrderOfItsInput) {  // W9
  EXPECT_EQ(goal_table({{1, "a", 5}, {2, "b", 6}}, 11, 3),
            goal_table({{2, "b", 6}, {1, "a", 5}}, 11, 3));
}

TEST(GoalTable, PlacesByIdentityAndOnlyLabelsWithOwners) {  // W7
  const SlotTable one = goal_table({{1, "a", 5}, {2, "b", 6}}, 11, 3);
  SlotTable other = goal_table({{20, "a", 5}, {10, "b", 6}}, 11, 3);
  for (Owner& owner : other) owner = owner == 20 ? 1 : 2;
  EXPECT_EQ(one, other);
}

TEST(GoalTable, DependsOnTheSeed) {  // W7
  EXPECT_NE(goal_table({{1, "a", 50}, {2, "b", 51}}, 101, 1),
            goal_table({{1, "a", 50}, {2, "b", 51}}, 101, 2));
}

TEST(GoalTable, IsFilledAgainForWhateverDiffers) {  // W7
  const std::vector<GoalNode> nodes = {{1, "a", 126}, {2, "b", 125}};
  const std::vector<GoalNode> other = {{1, "a", 125}, {2, "b", 126}};
  GoalTable goal;
  EXPECT_EQ(goal.follow(nodes, 251, 7), goal_table(nodes, 251, 7));
  EXPECT_EQ(goal.follow(nodes, 251, 8), goal_table(nodes, 251, 8));
  EXPECT_EQ(goal.follow(other, 251, 8), goal_table(other, 251, 8));
  EXPECT_EQ(goal.table(), goal_table(other, 251, 8));
}

TEST(GoalTable, IsWhatEveryBalancerComputes) {  // W7
  // Written down once: balancers of one fleet may run different builds.
  EXPECT_THAT(
      goal_table({{1, "192.0.2.1:80", 4}, {2, "192.0.2.2:80", 4}, {3, "192.0.2.3:80", 3}}, 11, 0),
      ElementsAre(2, 3, 1, 2, 1, 3, 1, 2, 3, 2, 1));
}

TEST(GoalTable, IsEmptyWhenNobodyHasASlot) {  // W3
  EXPECT_THAT(goal_table({{1, "a", 0}}, 5, 0), Each(kNobody));
  EXPECT_THAT(goal_table({}, 5, 0), Each(kNobody));
}

TEST(GoalTable, TakesTheSmallestPrime) {
  const SlotTable goal = goal_table({{1, "a", 1}, {2, "b", 1}}, 2, 0);
  EXPECT_NE(goal[0], goal[1]);
}

TEST(Retarget, ReachesTheGoalFromAnEmptyTable) {  // W7
  const SlotTable goal = {1, 2, 2, 1, 2};
  SlotTable table(5, kNobody);
  EXPECT_EQ(retargeted(table, goal, {{1, 2}, {2, 3}}).size(), 5u);
  EXPECT_EQ(table, goal);
}

TEST(Retarget, ChangesNothingWhenTheCountsAreMet) {  // W6
  SlotTable table = {1, 1, 2, 2, 2};
  EXPECT_THAT(retargeted(table, {2, 2, 2, 1, 1}, {{1, 2}, {2, 3}}), IsEmpty());
  EXPECT_THAT(table, ElementsAre(1, 1, 2, 2, 2));
}

TEST(Retarget, PrefersSlotsWhoseGoalIsTheGainer) {  // W7
  SlotTable table = {1, 1, 1, 1, 1};
  const auto changes = retargeted(table, {1, 1, 1, 2, 2}, {{1, 4}, {2, 1}});
  EXPECT_THAT(changes, ElementsAre(Change(3u, 2)));
  EXPECT_THAT(table, ElementsAre(1, 1, 1, 2, 1));
}

TEST(Retarget, LeavesSlotsThatAreOnTheGoalAloneWhileItCan) {  // W7
  SlotTable table = {1, 1, 1, 1, 1};
  EXPECT_THAT(retargeted(table, {1, 1, 1, 3, 3}, {{1, 4}, {2, 1}}), ElementsAre(Change(3u, 2)));
}

TEST(Retarget, SpreadsASmallShareOverTheWholeTable) {  // S2, by any window of a walk
  constexpr uint32_t kSize = 65537;
  constexpr uint32_t kShare = kSize / 25;  // 4 %
  SlotTable table = goal_table({{1, "a", kSize / 2}, {2, "b", kSize - kSize / 2}}, kSize, 0);
  const SlotTable goal = goal_table(
      {{1, "a", kSize / 3}, {2, "b", kSize / 3}, {3, "c", kSize - 2 * (kSize / 3)}}, kSize, 0);
  const uint32_t left = kSize - kShare;
  retargeted(table, goal, {{1, left / 2}, {2, left - left / 2}, {3, kShare}});

  constexpr int kWindow = 4096;
  for (uint32_t start = 0; start + kWindow <= kSize; start += kWindow) {
    const auto window = table.begin() + start;
    EXPECT_NEAR(100.0 * std::count(window, window + kWindow, Owner{3}) / kWindow, 4.0, 1.0)
        << "from slot " << start;
  }
}

TEST(Retarget, TellsTheChangesInTheOrderOfSlots) {
  SlotTable table = {1, 1, 1, 2, 2};
  // Slot 4 moves towards the goal, and slots 0 to 2 because their owner is gone.
  const auto changes = retargeted(table, {3, 2, 3, 2, 3}, {{2, 1}, {3, 4}});
  EXPECT_THAT(changes, ElementsAre(Change(0u, 3), Change(1u, 3), Change(2u, 3), Change(4u, 3)));
}

TEST(Retarget, TakesEverySlotFromAnOwnerWithoutACount) {  // W6
  SlotTable table = {1, 2, 1, 2, 3};
  EXPECT_EQ(retargeted(table, {2, 2, 2, 2, 3}, {{2, 4}, {3, 1}}).size(), 2u);
  EXPECT_THAT(table, ElementsAre(2, 2, 2, 2, 3));
}

TEST(Retarget, EmptiesTheTableWhenThereIsNobody) {  // W3
  SlotTable table = {1, 2, 1};
  EXPECT_EQ(retargeted(table, {0, 0, 0}, {}).size(), 3u);
  EXPECT_THAT(table, Each(kNobody));
  EXPECT_THAT(retargeted(table, {0, 0, 0}, {{1, 0}}), IsEmpty());
}

TEST(Retarget, EmptiesTheTableEvenTowardsAGoal) {  // W3
  SlotTable table = {1, 2, 1};
  EXPECT_EQ(retargeted(table, {1, 1, 2}, {{1, 0}, {2, 0}}).size(), 3u);
  EXPECT_THAT(table, Each(kNobody));
}

TEST(Retarget, DoesTheSameWhateverTheOrderOfTheCounts) {  // W9
  SlotTable one = {1, 1, 1, 1, 1};
  SlotTable other = one;
  retargeted(one, SlotTable(5, 1), {{1, 1}, {2, 2}, {3, 2}});
  retargeted(other, SlotTable(5, 1), {{3, 2}, {1, 1}, {2, 2}});
  EXPECT_EQ(one, other);
}

TEST(Retarget, ServesTheGreatestOwner) {
  SlotTable table(3, 65535);
  retargeted(table, {1, 1, 1}, {{65534, 2}, {65535, 1}});
  EXPECT_EQ(std::count(table.begin(), table.end(), Owner{65535}), 1);
  SlotTable back(3, 1);
  retargeted(back, {1, 1, 1}, {{65535, 3}});
  EXPECT_THAT(back, Each(Owner{65535}));
}

// The longest way from a slot of `owner` to its next, around the table.
size_t longest_gap(const SlotTable& table, Owner owner) {
  std::vector<size_t> places;
  for (size_t slot = 0; slot < table.size(); ++slot) {
    if (table[slot] == owner) places.push_back(slot);
  }
  size_t longest = places.front() + table.size() - places.back();
  for (size_t i = 1; i < places.size(); ++i) {
    longest = std::max(longest, places[i] - places[i - 1]);
  }
  return longest;
}

TEST(Retarget, SpreadsTheSlotsOfOneStepEvenly) {  // W6
  constexpr uint32_t kSize = 16381;
  for (uint32_t taken = 1; taken < 100; ++taken) {
    SlotTable table(kSize, 1);
    retargeted(table, SlotTable(kSize, 1), {{1, kSize - taken}, {2, taken}});
    // By strides of the golden ratio at most 1.9 times the mean, by others easily more.
    EXPECT_LE(longest_gap(table, 2) * taken, kSize * 2) << taken;
  }
}

TEST(Refill, NamesTheSlotsThatChangedAndNoOther) {  // W7
  const SlotTable before = {4, 2, 5, 1, 1, 2, 2};
  const SlotTable goal = {1, 2, 1, 5, 2, 4, 2};
  for (uint32_t most = 0; most <= 8; ++most) {
    SlotTable table = before;
    std::vector<uint32_t> named, changed;
    for (const SlotChange& change : refill(table, goal, most)) {
      named.push_back(change.slot);
      EXPECT_EQ(change.owner, table[change.slot]);
    }
    for (uint32_t slot = 0; slot < before.size(); ++slot) {
      if (table[slot] != before[slot]) changed.push_back(slot);
    }
    EXPECT_EQ(named, changed);
    EXPECT_LE(changed.size(), most);
  }
}

}  // namespace
}  // namespace rampart::engine
