// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "property/seeded.h"
#include "property/slot_counts.h"

namespace rampart::engine {
namespace {

class SlotLaws : public Seeded {
 protected:
  std::vector<Weight> any_weights() {
    std::vector<Weight> weights(between(1, 40));
    for (Weight& weight : weights) {
      if (!one_in(5)) weight = Weight::fixed(between<uint64_t>(1, 100 * Weight::kOne));
    }
    weights[0] = Weight::whole(1);  // never nobody
    return weights;
  }
};

TEST_F(SlotLaws, MoveTheFewestSlotsToTheExactCounts) {  // W5 W6
  constexpr uint32_t kSize = 4093;
  SlotTable table(kSize, kNobody);
  for (int round = 0; round < 500; ++round) {
    const std::vector<OwnerSlots> counts = counts_of(any_weights(), kSize);
    const SlotTable goal = goal_of(counts, kSize, 1);
    const SlotTable before = table;
    const size_t fewest = fewest_moves(table, counts);
    const std::vector<SlotChange> changes = retarget(table, goal, counts);
    ASSERT_EQ(changes.size(), fewest);

    SlotTable replayed = before;
    for (size_t i = 0; i < changes.size(); ++i) {
      if (i > 0) {
        ASSERT_LT(changes[i - 1].slot, changes[i].slot);
      }
      ASSERT_NE(replayed[changes[i].slot], changes[i].owner);
      replayed[changes[i].slot] = changes[i].owner;
    }
    ASSERT_EQ(replayed, table) << "the changes are the difference";
    std::map<Owner, int64_t> now = owned(table);
    for (const OwnerSlots& count : counts) ASSERT_EQ(now[count.owner], count.slots);
    ASSERT_EQ(now[kNobody], 0);
  }
}

TEST_F(SlotLaws, DoNothingTwice) {  // W6
  constexpr uint32_t kSize = 4093;
  for (int round = 0; round < 100; ++round) {
    const std::vector<OwnerSlots> counts = counts_of(any_weights(), kSize);
    const SlotTable goal = goal_of(counts, kSize, 1);
    SlotTable table(kSize, kNobody);
    retarget(table, goal, counts);
    ASSERT_EQ(table, goal) << "a fresh start equals the goal";
    ASSERT_TRUE(retarget(table, goal, counts).empty());
  }
}

TEST_F(SlotLaws, GiveOneGoalWhateverTheOrderOfTheInput) {  // W7 W9
  constexpr uint32_t kSize = 4093;
  for (int round = 0; round < 100; ++round) {
    std::vector<OwnerSlots> counts = counts_of(any_weights(), kSize);
    const uint64_t seed = between<uint64_t>(0, 1000);
    const SlotTable goal = goal_of(counts, kSize, seed);
    SlotTable table(kSize, 1);
    retarget(table, goal, counts);
    SlotTable other(kSize, 1);
    std::shuffle(counts.begin(), counts.end(), random());
    ASSERT_EQ(goal_of(counts, kSize, seed), goal);
    retarget(other, goal, counts);
    ASSERT_EQ(other, table);
  }
}

TEST_F(SlotLaws, RefillTheTableWithinItsBudgetUntilItIsTheGoal) {  // W7
  constexpr uint32_t kSize = 1009;
  for (int round = 0; round < 200; ++round) {
    SlotTable table(kSize, kNobody);
    std::vector<OwnerSlots> counts;
    for (int change = 0; change < 3; ++change) {
      counts = counts_of(any_weights(), kSize);
      retarget(table, goal_of(counts, kSize, 1), counts);
    }
    const SlotTable goal = goal_of(counts, kSize, 1);
    const auto owners = owned(table);
    const uint32_t most = between(2u, 100u);
    while (table != goal) {
      const SlotTable before = table;
      const std::vector<SlotChange> changes = refill(table, goal, most);
      ASSERT_FALSE(changes.empty());
      ASSERT_LE(changes.size(), most);
      ASSERT_EQ(owned(table), owners) << "no count changes";
      SlotTable replayed = before;
      size_t off_before = 0, off_after = 0;
      for (const SlotChange& change : changes) replayed[change.slot] = change.owner;
      for (uint32_t slot = 0; slot < kSize; ++slot) {
        off_before += before[slot] != goal[slot];
        off_after += table[slot] != goal[slot];
        ASSERT_TRUE(before[slot] != goal[slot] || table[slot] == goal[slot]);
      }
      ASSERT_EQ(replayed, table);
      ASSERT_LT(off_after, off_before);
    }
    ASSERT_TRUE(refill(table, goal, most).empty());
  }
}

TEST_F(SlotLaws, MoveOnlyTheSlotsOfANodeThatGoesDownAndOneMoreOfEachOther) {  // W10
  constexpr uint32_t kSize = 4093;
  for (int round = 0; round < 200; ++round) {
    std::vector<Weight> weights = any_weights();
    weights.push_back(Weight::whole(between(1u, 100u)));
    const std::vector<OwnerSlots> up = counts_of(weights, kSize);
    SlotTable table(kSize, kNobody);
    retarget(table, goal_of(up, kSize, 1), up);
    const SlotTable before = table;

    weights.back() = Weight();
    const std::vector<OwnerSlots> down = counts_of(weights, kSize);
    const size_t moved = retarget(table, goal_of(down, kSize, 1), down).size();
    ASSERT_LE(moved, up.back().slots + weights.size() - 1);
    ASSERT_EQ(owned(table)[up.back().owner], 0) << "an ineligible node has no slots";

    retarget(table, goal_of(up, kSize, 1), up);
    while (!refill(table, goal_of(up, kSize, 1), 64).empty()) continue;
    ASSERT_EQ(table, before) << "the goal gives them back";
  }
}

}  // namespace
}  // namespace rampart::engine
