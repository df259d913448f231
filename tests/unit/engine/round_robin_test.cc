// SPDX-License-Identifier: Apache-2.0
#include "engine/round_robin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "engine/curve.h"

namespace rampart::engine {
namespace {

// Nodes a, b, c, … of these weights.
std::vector<RoundRobin::Node> nodes_of(const std::vector<uint32_t>& weights) {
  std::vector<RoundRobin::Node> nodes;
  for (NodeNumber i = 0; i < weights.size(); ++i) {
    nodes.push_back({i, std::string(1, static_cast<char>('a' + i)), Weight::whole(weights[i])});
  }
  return nodes;
}

// Their picks by letter, "-" for nothing.
std::string picks(RoundRobin& picker, int count, const Tried& tried = {}) {
  std::string letters;
  for (int i = 0; i < count; ++i) {
    const auto node = picker.pick(tried);
    letters += node ? static_cast<char>('a' + *node) : '-';
  }
  return letters;
}

Tried tried_of(std::initializer_list<NodeNumber> nodes) {
  Tried tried;
  for (const NodeNumber node : nodes) tried.add(node);
  return tried;
}

TEST(RoundRobin, GoesThroughEqualNodesInOrder) {  // P1
  RoundRobin picker(nodes_of({1, 1, 1}));
  EXPECT_EQ(picks(picker, 7), "abcabca");
}

TEST(RoundRobin, SpreadsTheTurnsOfAHeavyNode) {  // P1
  RoundRobin picker(nodes_of({5, 1, 1}));
  const std::string cycle = picks(picker, 7);
  EXPECT_EQ(std::count(cycle.begin(), cycle.end(), 'a'), 5);
  EXPECT_EQ(cycle.find("aaaa"), std::string::npos) << cycle;
  EXPECT_EQ(picks(picker, 7), cycle);
}

TEST(RoundRobin, PicksNothingWithoutAWeight) {  // W2 W3
  RoundRobin nobody;
  EXPECT_EQ(picks(nobody, 2), "--");
  RoundRobin all_at_zero(nodes_of({0, 0}));
  EXPECT_EQ(picks(all_at_zero, 2), "--");
}

TEST(RoundRobin, NeverPicksANodeOfWeightZero) {  // W2
  RoundRobin picker(nodes_of({0, 1, 0}));
  EXPECT_EQ(picks(picker, 3), "bbb");
}

TEST(RoundRobin, HonoursFractionsOfAWeight) {  // P1 S2.4
  RoundRobin picker({{0, "a", Weight::fixed(1)}, {1, "b", Weight::fixed(3)}});
  const std::string cycle = picks(picker, 4);
  EXPECT_EQ(std::count(cycle.begin(), cycle.end(), 'a'), 1);
}

TEST(RoundRobin, PicksTheLightNodeWithinItsFirstCycleHoweverOftenWeightsAreRefreshed) {  // P1
  RoundRobin picker(nodes_of({1, 100}));
  std::string all;
  for (int second = 0; second < 1010; ++second) {
    picker = RoundRobin(nodes_of({1, 100}), picker);
    all += picks(picker, 1);
    const auto light = std::count(all.begin(), all.end(), 'a');
    ASSERT_NEAR(light, all.size() / 101.0, 1.0) << all;
  }
  EXPECT_LT(all.find('a'), 101u);
  EXPECT_EQ(std::count(all.begin(), all.end(), 'a'), 10);
}

TEST(RoundRobin, GivesNewcomersTheirShareFromTheirFirstCycleOnWhileTheyRamp) {  // P1 S0
  constexpr NodeNumber kMature = 130;
  const SlowStart block = {.window = std::chrono::seconds(300), .min_weight_percent = 1};
  const auto nodes = [&](int second) {
    std::vector<RoundRobin::Node> all;
    for (NodeNumber i = 0; i < kMature + 2; ++i) {
      const Weight weight = i < kMature ? Weight::whole(100)
                                        : ramped_weight(100, block, std::chrono::seconds(second));
      all.push_back({i, "n" + std::to_string(1000 + i), weight});
    }
    return all;
  };
  std::vector<RoundRobin::Node> mature = nodes(0);
  mature.resize(kMature);
  RoundRobin picker(mature);
  for (int i = 0; i < 777; ++i) picker.pick();

  double share = 0;
  int had[2] = {0, 0};
  for (int second = 0; second < 300; ++second) {
    const auto refreshed = nodes(second);
    picker = RoundRobin(refreshed, picker);
    const double weight = refreshed.back().weight.to_double();
    for (int i = 0; i < 100; ++i) {
      const NodeNumber node = *picker.pick();
      if (node >= kMature) ++had[node - kMature];
      share += weight / (kMature * 100.0 + 2 * weight);
      ASSERT_NEAR(had[0], share, 1.001) << "second " << second;
      ASSERT_NEAR(had[1], share, 1.001) << "second " << second;
    }
  }
  EXPECT_GT(share, 110);
}

TEST(RoundRobin, KeepsTheProgressOfANodeOverAChangeOfOthers) {  // P1
  RoundRobin picker(nodes_of({10, 1}));
  std::string all = picks(picker, 11);
  ASSERT_EQ(std::count(all.begin(), all.end(), 'b'), 1);
  // Each generation swaps a third node for another; b's next turn comes when it would have.
  std::string later;
  for (int round = 0; round < 40; ++round) {
    const std::string third = "x" + std::to_string(round);
    picker = RoundRobin(
        {{0, "a", Weight::whole(10)}, {1, "b", Weight::whole(1)}, {2, third, Weight::whole(1)}},
        picker);
    later += picks(picker, 1);
  }
  EXPECT_GE(std::count(later.begin(), later.end(), 'b'), 2) << later;
  EXPECT_LE(std::count(later.begin(), later.end(), 'b'), 5) << later;
}

TEST(RoundRobin, KnowsNodesByIdentityNotByNumber) {  // P1
  RoundRobin picker({{0, "b", Weight::whole(1)}, {1, "c", Weight::whole(1)}});
  EXPECT_EQ(*picker.pick(), 0u);  // b had its turn, c has not
  picker = RoundRobin({{5, "b", Weight::whole(1)}, {7, "c", Weight::whole(1)}}, picker);
  EXPECT_EQ(*picker.pick(), 7u);
}

TEST(RoundRobin, FindsANewcomerDue) {  // P1
  RoundRobin picker(nodes_of({1, 1}));
  picks(picker, 2);
  picker = RoundRobin(nodes_of({1, 1, 1}), picker);
  EXPECT_NE(picks(picker, 3).find('c'), std::string::npos);
}

TEST(RoundRobin, KeepsTheProgressOfANodeWhoseWeightIsZeroForAWhile) {  // P1 W2
  RoundRobin picker(nodes_of({1, 1, 1}));
  EXPECT_EQ(picks(picker, 1), "a");
  picker = RoundRobin(nodes_of({0, 1, 1}), picker);
  EXPECT_EQ(picks(picker, 4), "bcbc");
  picker = RoundRobin(nodes_of({1, 1, 1}), picker);
  EXPECT_NE(picks(picker, 1), "a") << "it had its turn";
}

TEST(RoundRobin, SpreadsWhatALeaverWasOwedOverThoseWhoStay) {  // P1
  // c leaves each time just before its turn: nobody else may be held up by that, or favoured.
  RoundRobin picker(nodes_of({1, 1, 1}));
  std::string all;
  for (int round = 0; round < 300; ++round) {
    picker = RoundRobin(nodes_of({1, 1, 1}), picker);
    all += picks(picker, 1);
    picker = RoundRobin(nodes_of({1, 1}), picker);
    all += picks(picker, 1);
  }
  const auto a = std::count(all.begin(), all.end(), 'a');
  const auto b = std::count(all.begin(), all.end(), 'b');
  EXPECT_NEAR(a, b, 2) << all;
  EXPECT_EQ(all.find("aaa"), std::string::npos);
  EXPECT_EQ(all.find("bbb"), std::string::npos);
}

TEST(RoundRobin, StaysSmoothAfterManyNodesCameForOneTurnAndLeft) {  // P1
  // Each visitor leaves in debt. Were that not spread, everybody would be due at all times, and the
  // heavy node would have its five turns in a row.
  const std::vector<uint32_t> stay = {5, 1, 1, 1, 1, 1};
  RoundRobin picker(nodes_of(stay));
  for (int round = 0; round < 100; ++round) {
    std::vector<RoundRobin::Node> nodes = nodes_of(stay);
    nodes.push_back({6, "visitor" + std::to_string(round), Weight::whole(100)});
    picker = RoundRobin(nodes, picker);
    EXPECT_EQ(picks(picker, 1), "g");
    picker = RoundRobin(nodes_of(stay), picker);
  }
  const std::string all = picks(picker, 100);
  EXPECT_EQ(all.find("aaa"), std::string::npos) << all;
  EXPECT_NEAR(std::count(all.begin(), all.end(), 'a'), 50, 1);
}

TEST(RoundRobin, PassesOverTriedNodes) {  // P1 P3
  RoundRobin picker(nodes_of({1, 1, 1}));
  EXPECT_EQ(picks(picker, 1, tried_of({0})), "b");
  EXPECT_EQ(picks(picker, 1, tried_of({0, 1})), "c");
  EXPECT_EQ(picks(picker, 1, tried_of({0, 1, 2})), "-");
}

TEST(RoundRobin, KeepsTheProgressOfATriedNode) {  // P1 P3
  RoundRobin picker(nodes_of({1, 1, 1}));
  EXPECT_EQ(picks(picker, 1, tried_of({0})), "b");
  EXPECT_EQ(picks(picker, 2), "ca") << "a did not lose its turn";
}

TEST(RoundRobin, OwesNothingToANodeThatWasTriedInVainForLong) {  // P1 P3
  // a has 9 of 10 parts and always fails, b gets every retry.
  RoundRobin picker(nodes_of({9, 1}));
  for (int request = 0; request < 1000; ++request) {
    const NodeNumber first = *picker.pick();
    if (first == 0) {
      EXPECT_EQ(picks(picker, 1, tried_of({0})), "b");
    }
  }
  const std::string after = picks(picker, 20);
  EXPECT_NEAR(std::count(after.begin(), after.end(), 'b'), 2, 1) << after;
}

TEST(RoundRobin, OwesNothingToANodeOfTheSmallestWeightThatWasTriedInVain) {  // P1 P3 S2.4
  std::vector<RoundRobin::Node> nodes = nodes_of({1, 1});
  nodes[0].weight = Weight::fixed(9);
  nodes[1].weight = Weight::fixed(1);
  RoundRobin picker(nodes);
  int light = 0;
  for (int request = 0; request < 1000; ++request) {
    if (*picker.pick() == 0) continue;
    ++light;
    EXPECT_EQ(picks(picker, 1, tried_of({1})), "a");
  }
  EXPECT_NEAR(light, 100, 1);
}

TEST(RoundRobin, ForgetsATryThatNamesNobody) {  // P3
  RoundRobin picker(nodes_of({1, 1}));
  EXPECT_EQ(picks(picker, 2, tried_of({9})), "ab");
}

TEST(RoundRobin, StartsElsewhereForAnotherSeed) {  // P1
  std::string firsts;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    RoundRobin picker(nodes_of({1, 1, 1}));
    picker.skip(seed);
    firsts += picks(picker, 1);
  }
  EXPECT_EQ(firsts, "abc");
}

TEST(RoundRobin, StartsByDroppingPicks) {  // P1
  RoundRobin whole(nodes_of({7, 2, 3}));
  RoundRobin skipped(nodes_of({7, 2, 3}));
  picks(whole, 5);
  skipped.skip(5 + 12 * 1000000007ull);  // whole cycles lead nowhere
  EXPECT_EQ(picks(skipped, 30), picks(whole, 30));
}

TEST(RoundRobin, DoesNotDriftOverManyCycles) {  // P1
  RoundRobin picker(nodes_of({1, 3, 96}));
  const std::string cycle = picks(picker, 100);
  for (int i = 0; i < 20000; ++i) ASSERT_EQ(picks(picker, 100), cycle);
}

TEST(RoundRobin, DoesNotDriftWhenTheNumbersAreRenormalised) {  // P1
  // In units of 1/65536 these have a cycle of seven picks: renormalised every seven.
  RoundRobin picker({{0, "a", Weight::fixed(1)}, {1, "b", Weight::fixed(6)}});
  const std::string cycle = picks(picker, 7);
  for (int i = 0; i < 100000; ++i) ASSERT_EQ(picks(picker, 7), cycle);
}

}  // namespace
}  // namespace rampart::engine
