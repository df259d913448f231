// SPDX-License-Identifier: Apache-2.0
#include "engine/in_flight.h"

#include <gtest/gtest.h>

namespace rampart::engine {
namespace {

TEST(InFlight, CountsByIdentity) {  // L4
  InFlight counts;
  const auto a = counts.name("a");
  const auto b = counts.name("b");
  EXPECT_EQ(counts.take(a), 1u);
  EXPECT_EQ(counts.take(a), 2u);
  EXPECT_EQ(counts.take(b), 1u);
  EXPECT_EQ(counts.give(a), 1u);
  EXPECT_EQ(counts.count_of("a"), 1u);
  EXPECT_EQ(counts.count_of("b"), 1u);
  EXPECT_EQ(counts.count_of("c"), 0u);
}

TEST(InFlight, NamesOneCounterPerIdentity) {  // L4
  InFlight counts;
  EXPECT_EQ(counts.name("a"), counts.name("a"));
  EXPECT_NE(counts.name("a"), counts.name("b"));
}

TEST(InFlight, KeepsTheCountOfALeaverForItsReturn) {  // L4
  InFlight counts;
  const auto a = counts.name("a");
  counts.take(a);
  counts.unname(a);
  EXPECT_EQ(counts.count_of("a"), 1u);
  EXPECT_EQ(counts.name("a"), a);
  EXPECT_EQ(counts.count(a), 1u);
}

TEST(InFlight, ForgetsWhatNobodyNamesOnceItsLastRequestIsBack) {  // L4 L7
  InFlight counts;
  const auto a = counts.name("a");
  counts.name_again(a);
  counts.take(a);
  counts.unname(a);
  counts.unname(a);
  EXPECT_EQ(counts.size(), 1u);
  counts.give(a);
  EXPECT_EQ(counts.size(), 0u);
  EXPECT_EQ(counts.name("b"), a) << "its number is free";
  EXPECT_EQ(counts.count(a), 0u);
}

TEST(InFlight, OrdersTurns) {  // L3
  InFlight counts;
  const auto a = counts.name("a");
  const auto b = counts.name("b");
  EXPECT_LT(counts.last_turn(a), counts.last_turn(b));
  counts.take(a);
  EXPECT_LT(counts.last_turn(b), counts.last_turn(a));
  counts.give(a);
  EXPECT_LT(counts.last_turn(b), counts.last_turn(a)) << "a release is no turn";
}

TEST(InFlightDeathTest, NeverGoesBelowZero) {  // L7
  InFlight counts;
  const auto a = counts.name("a");
  EXPECT_DEATH(counts.give(a), "");
}

}  // namespace
}  // namespace rampart::engine
