// SPDX-License-Identifier: Apache-2.0
#include "engine/picker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/snapshot.h"
#include "unit/engine/full_node.h"

namespace rampart::engine {
namespace {

using Nodes = std::shared_ptr<const PickerNodes>;

class PickerTest : public testing::Test {
 protected:
  static Nodes make_by(Algorithm algorithm, std::vector<PickerNode> nodes,
                       const Nodes& former = nullptr) {
    const PickerSettings settings = {.algorithm = algorithm, .chash = {.table_size = 1009}};
    return PickerNodes::make(settings, std::move(nodes), former.get()).value();
  }
  // The identity that is picked, "-" for none; the request does not end before the test.
  std::string pick(Picker& picker, const Tried& tried = {}) {
    auto pick = picker.pick(++hash_, tried);
    if (!pick) return "-";
    leases_.push_back(std::move(pick->lease));
    return picker.nodes().nodes()[pick->node].identity;
  }
  std::set<std::string> picks(Picker& picker, int count, const Tried& tried = {}) {
    std::set<std::string> all;
    for (int i = 0; i < count; ++i) all.insert(pick(picker, tried));
    return all;
  }

  uint64_t hash_ = 0;
  std::vector<Lease> leases_;
};

class EachPicker : public PickerTest, public testing::WithParamInterface<Algorithm> {
 protected:
  Nodes make(std::vector<PickerNode> nodes, const Nodes& former = nullptr) {
    return make_by(GetParam(), std::move(nodes), former);
  }
};

using Set = std::set<std::string>;

TEST_P(EachPicker, UsesEveryNodeWithAWeightAndNoOther) {  // W2 L2
  Picker picker(make({node_of("c", 1), node_of("a", 2), node_of("b", 0)}), 0);
  EXPECT_EQ(picks(picker, 300), (Set{"a", "c"}));
}

TEST_P(EachPicker, PicksNothingWithoutANode) {  // W3 P4
  Picker nobody(make({}), 5);
  EXPECT_EQ(pick(nobody), "-");
  Picker all_at_zero(make({node_of("a", 0)}), 5);
  EXPECT_EQ(pick(all_at_zero), "-");
}

TEST_P(EachPicker, NumbersNodesByIdentityWhateverTheirOrder) {  // W9
  const Nodes nodes = make({node_of("c", 1), node_of("a", 1), node_of("b", 1)});
  EXPECT_EQ(nodes->nodes()[0].identity, "a");
  EXPECT_EQ(nodes->nodes()[2].identity, "c");
}

TEST_P(EachPicker, TriesEachNodeOnce) {  // P3 P4
  Picker picker(make({node_of("a", 1), node_of("b", 100), node_of("c", 1)}), 1);
  Tried tried;
  Set all;
  for (int i = 0; i < 3; ++i) {
    const auto pick = picker.pick(77, tried);
    ASSERT_TRUE(pick.has_value());
    all.insert(picker.nodes().nodes()[pick->node].identity);
    tried.add(pick->node);
  }
  EXPECT_EQ(all.size(), 3u);
  EXPECT_EQ(pick(picker, tried), "-");
}

TEST_P(EachPicker, ALowerPriorityIsUsedOnlyWhenTheHigherOneIsSpent) {  // P7 W4
  const std::vector<PickerNode> nodes = {node_of("a", 1, -5), node_of("b", 1), node_of("c", 1),
                                         node_of("d", 1, -5), node_of("e", 1, -6)};
  const Nodes made = make(nodes);
  Picker picker(made, 0);
  EXPECT_EQ(picks(picker, 300), (Set{"b", "c"}));
  Tried tried;
  tried.add(1);
  EXPECT_EQ(picks(picker, 100, tried), (Set{"c"}));
  tried.add(2);
  EXPECT_EQ(picks(picker, 300, tried), (Set{"a", "d"}));

  std::vector<PickerNode> spent = nodes;
  for (PickerNode& node : spent) {
    if (node.priority == 0) node.effective = Weight();
  }
  Picker lower(make(spent, made), picker);
  EXPECT_EQ(picks(lower, 300), (Set{"a", "d"}));
  Picker back(make(nodes, made), lower);
  EXPECT_EQ(picks(back, 300), (Set{"b", "c"}));
}

TEST_P(EachPicker, ANodeWithoutAddressesIsNotPicked) {  // D1
  std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1)};
  nodes[0].addresses.clear();
  const Nodes made = make(nodes);
  Picker picker(made, 0);
  EXPECT_EQ(picks(picker, 100), (Set{"b"}));
  Picker next(make(nodes, made), picker);
  EXPECT_EQ(picks(next, 100), (Set{"b"}));
}

TEST_F(PickerTest, OnlyChashHasATableToRefill) {  // W7
  for (const Algorithm algorithm : {Algorithm::kRoundRobin, Algorithm::kLeastConn}) {
    EXPECT_FALSE(make_by(algorithm, {node_of("a", 1), node_of("b", 1)})->off_goal());
  }
}

TEST(PickerNodes, AreThoseOfAScopeEachWithAnAddress) {  // S4.5
  ScopeState scope;
  NodeState& bare = scope.nodes["a:80"];
  bare.configured = 7;
  bare.effective = Weight::whole(3);
  NodeState& full = scope.nodes["b:80"];
  full.priority = 2;
  full.addresses = {"x", "y"};
  full.ramped = Weight::whole(4);
  full.condition.override_weight = 9;
  const std::vector<PickerNode> nodes = picker_nodes_of(scope);
  const std::vector<PickerNode> expected = {{.identity = "a:80",
                                             .effective = Weight::whole(3),
                                             .ramped = {},
                                             .target = 7,
                                             .addresses = {"a:80"}},
                                            {.identity = "b:80",
                                             .effective = {},
                                             .ramped = Weight::whole(4),
                                             .target = 9,
                                             .priority = 2,
                                             .addresses = {"x", "y"}}};
  EXPECT_EQ(nodes, expected);
}

TEST_P(EachPicker, ARequestStaysInItsGeneration) {  // P5 L8
  const Nodes older = make({node_of("a", 1), node_of("b", 1)});
  Picker before(older, 0);
  const Nodes newer = make({node_of("b", 1), node_of("c", 1)}, older);
  Picker after(newer, before);
  EXPECT_EQ(picks(before, 100), (Set{"a", "b"}));
  EXPECT_EQ(picks(after, 300), (Set{"b", "c"}));
}

TEST_P(EachPicker, UsesEveryAddressOfANodeEqually) {  // S4.5
  std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1)};
  nodes[0].addresses = {"x", "y", "z"};
  Nodes made = make(nodes);
  Picker picker(made, 3);
  std::map<std::string, int> counts;
  for (uint64_t i = 0; i < 1009; ++i) {
    // A generation per pick: the rotation goes on.
    made = make(nodes, made);
    picker = Picker(made, picker);
    auto pick = picker.pick(i);
    ++counts[nodes[pick->node].addresses[pick->address]];
    leases_.push_back(std::move(pick->lease));
  }
  EXPECT_NEAR(counts["b:80"], 504, 2) << "the identity is scored once";
  for (const char* address : {"x", "y", "z"}) EXPECT_NEAR(counts[address], 168, 2) << address;
}

std::string name_of(const testing::TestParamInfo<Algorithm>& algorithm) {
  constexpr const char* kNames[] = {"RoundRobin", "LeastConn", "Chash"};
  return kNames[static_cast<int>(algorithm.param)];
}
INSTANTIATE_TEST_SUITE_P(By, EachPicker,
                         testing::Values(Algorithm::kRoundRobin, Algorithm::kLeastConn,
                                         Algorithm::kChash),
                         name_of);

TEST_F(PickerTest, RoundRobinKeepsItsProgressOverGenerations) {  // P1
  Nodes nodes = make_by(Algorithm::kRoundRobin, {node_of("a", 100), node_of("b", 1)});
  Picker picker(nodes, 0);
  int light = 0;
  for (int i = 0; i < 1010; ++i) {
    nodes = make_by(Algorithm::kRoundRobin, nodes->nodes(), nodes);
    picker = Picker(nodes, picker);
    light += pick(picker) == "b";
  }
  EXPECT_EQ(light, 10);
}

TEST_F(PickerTest, RoundRobinKeepsItsProgressWhenNodesComeAndGo) {  // P1
  const std::vector<PickerNode> two = {node_of("a", 100), node_of("b", 1)};
  std::vector<PickerNode> three = two;
  three.push_back(node_of("c", 1));
  Nodes nodes = make_by(Algorithm::kRoundRobin, two);
  Picker picker(nodes, 0);
  int light = 0;
  for (int i = 0; i < 1020; ++i) {
    nodes = make_by(Algorithm::kRoundRobin, i % 10 == 9 ? three : two, nodes);
    picker = Picker(nodes, picker);
    light += pick(picker) == "b";
  }
  EXPECT_GE(light, 9) << "a fresh start would pick a a hundred times first";
}

TEST_F(PickerTest, WorkersStartAtDifferentPlaces) {  // P1 S4.5
  std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1), node_of("c", 1)};
  const Nodes made = make_by(Algorithm::kRoundRobin, nodes);
  Set firsts;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    Picker picker(made, seed);
    firsts.insert(pick(picker));
  }
  EXPECT_EQ(firsts, (Set{"a", "b", "c"}));

  nodes.resize(1);
  nodes[0].addresses = {"x", "y"};
  const Nodes one = make_by(Algorithm::kRoundRobin, nodes);
  Picker even(one, 0);
  Picker odd(one, 1);
  EXPECT_NE(even.pick(0)->address, odd.pick(0)->address);
}

TEST_F(PickerTest, LeastConnInstancesStartAtDifferentPlaces) {  // L3
  Set firsts;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const PickerSettings settings = {.algorithm = Algorithm::kLeastConn, .instance_seed = seed};
    Picker picker(
        PickerNodes::make(settings, {node_of("a", 1), node_of("b", 1), node_of("c", 1)}, nullptr)
            .value(),
        0);
    firsts.insert(pick(picker));
  }
  EXPECT_EQ(firsts, (Set{"a", "b", "c"}));
}

TEST_F(PickerTest, WorkersShareTheLeastConnCounts) {  // L4
  const Nodes nodes = make_by(Algorithm::kLeastConn, {node_of("a", 1), node_of("b", 1)});
  Picker one(nodes, 0);
  Picker other(nodes, 0);
  EXPECT_NE(pick(one), pick(other));
  EXPECT_EQ(nodes->in_flight("a"), 1u);
  EXPECT_EQ(nodes->in_flight("b"), 1u);
}

TEST_F(PickerTest, OnlyLeastConnHoldsLeases) {  // L6
  const std::vector<PickerNode> lone = {node_of("a", 1)};
  EXPECT_TRUE(Picker(make_by(Algorithm::kLeastConn, lone), 0).pick(0)->lease.held());
  EXPECT_FALSE(Picker(make_by(Algorithm::kRoundRobin, lone), 0).pick(0)->lease.held());
  EXPECT_FALSE(Picker(make_by(Algorithm::kChash, lone), 0).pick(0)->lease.held());
}

TEST_F(PickerTest, CountsOutliveAChangeOfAlgorithm) {  // L4
  const std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1)};
  const Nodes first = make_by(Algorithm::kLeastConn, nodes);
  Picker picker(first, 0);
  picks(picker, 4);
  const Nodes second = make_by(Algorithm::kRoundRobin, nodes, first);
  Picker between(second, picker);
  EXPECT_EQ(picks(between, 10).size(), 2u);
  const Nodes third = make_by(Algorithm::kLeastConn, nodes, second);
  EXPECT_EQ(third->in_flight("a"), 2u);
}

TEST_F(PickerTest, ChashKeepsItsTableOverGenerations) {  // P8 W6
  const Nodes before =
      make_by(Algorithm::kChash, {node_of("b", 1), node_of("c", 1), node_of("d", 1)});
  const Nodes after =
      make_by(Algorithm::kChash,
              {node_of("a", 1), node_of("b", 1), node_of("c", 1), node_of("d", 1)}, before);
  Picker was(before, 0);
  Picker is(after, was);
  for (uint64_t slot = 0; slot < 1009; ++slot) {
    const Identity& now = after->nodes()[is.pick(slot)->node].identity;
    if (now != "a") {
      EXPECT_EQ(now, before->nodes()[was.pick(slot)->node].identity);
    }
  }
}

TEST_F(PickerTest, TellsThatATableIsTooSmall) {  // W4
  const PickerSettings settings = {.algorithm = Algorithm::kChash, .chash = {.table_size = 2}};
  const auto refused =
      PickerNodes::make(settings, {node_of("a", 1), node_of("b", 1), node_of("c", 1)}, nullptr);
  EXPECT_FALSE(refused.ok());
}

}  // namespace
}  // namespace rampart::engine
