// SPDX-License-Identifier: Apache-2.0
#include "engine/apportion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rampart::engine {
namespace {

using testing::Each;
using testing::ElementsAre;

std::vector<uint32_t> slots_of(std::initializer_list<uint32_t> weights, uint32_t table_size) {
  std::vector<Weight> whole;
  for (const uint32_t weight : weights) whole.push_back(Weight::whole(weight));
  return apportion(whole, table_size);
}

TEST(Apportion, GivesLeftOverSlotsToTheLargestRemainders) {  // W5
  // Quotas of 7 over 10: 0.7, 2.1, 4.2.
  EXPECT_THAT(slots_of({1, 3, 6}, 7), ElementsAre(1, 2, 4));
}

TEST(Apportion, BreaksEqualRemaindersByOrder) {  // W5
  EXPECT_THAT(slots_of({1, 1, 1}, 5), ElementsAre(2, 2, 1));
  EXPECT_THAT(slots_of({1, 1}, 65537), ElementsAre(32769, 32768));
  const std::vector<uint32_t> more = apportion(std::vector<Weight>(40, Weight::whole(1)), 101);
  EXPECT_THAT(std::vector(more.begin(), more.begin() + 21), Each(3));
  EXPECT_THAT(std::vector(more.begin() + 21, more.end()), Each(2));
}

TEST(Apportion, TellsWeightsApartThatDoublesDoNot) {  // W5 S2.4
  const uint64_t big = (uint64_t{1} << 53) + 1;
  const std::vector<Weight> weights = {Weight::fixed(big - 1), Weight::fixed(big)};
  EXPECT_THAT(apportion(weights, 65537), ElementsAre(32768, 32769));
}

TEST(Apportion, LiftsEachNodeThatHasAWeightToOneSlot) {  // W4 W5
  // Quotas of 11 over 1004: 10.96, and 0.01 for each of the rest.
  EXPECT_THAT(slots_of({1, 1000, 1, 1, 1}, 11), ElementsAre(1, 7, 1, 1, 1));
}

TEST(Apportion, TakesALiftedSlotFromTheRichestAndTheGreaterIdentityOnTies) {  // W5
  EXPECT_THAT(slots_of({1000, 1000, 1, 1}, 4), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(slots_of({1000, 1000, 1}, 6), ElementsAre(3, 2, 1));
}

TEST(Apportion, TakesEachLiftedSlotFromTheRichestAtThatMoment) {  // W5
  // Quotas of 11: 6.85 and 4.11 become 7 and 4; 7 gives three, and is then as rich as the other.
  EXPECT_THAT(slots_of({1000, 600, 1, 1, 1}, 11), ElementsAre(4, 4, 1, 1, 1));
}

TEST(Apportion, ComparesRemaindersToTheLastBit) {  // W5 S2.4
  // 3 slots for the weights 1 + 1/65536 and 1: quotas of 1.5 and a bit more or less.
  const std::vector<Weight> weights = {Weight::whole(1), Weight::fixed(Weight::kOne + 1)};
  EXPECT_THAT(apportion(weights, 3), ElementsAre(1, 2));
}

TEST(Apportion, GivesNoSlotToAWeightOfZero) {  // W2
  EXPECT_THAT(slots_of({0, 5, 0}, 7), ElementsAre(0, 7, 0));
}

TEST(Apportion, TakesMoreNodesOfWeightZeroThanThereAreSlots) {  // W2 W4
  std::vector<Weight> weights(100);
  weights.push_back(Weight::whole(5));
  const std::vector<uint32_t> slots = apportion(weights, 7);
  EXPECT_THAT(std::vector(slots.begin(), slots.end() - 1), Each(0));
  EXPECT_EQ(slots.back(), 7);
}

TEST(Apportion, GivesNobodyASlotWhenNobodyHasAWeight) {  // W3
  EXPECT_THAT(slots_of({0, 0}, 7), Each(0));
  EXPECT_THAT(slots_of({}, 7), ElementsAre());
}

TEST(Apportion, FillsATableThatIsAsLargeAsTheNumberOfNodes) {  // W4
  EXPECT_THAT(slots_of({1, 65535, 1, 1, 1}, 5), Each(1));
}

}  // namespace
}  // namespace rampart::engine
