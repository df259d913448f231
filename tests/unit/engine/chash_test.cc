// SPDX-License-Identifier: Apache-2.0
#include "engine/chash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "engine/curve.h"
#include "unit/engine/full_node.h"

namespace rampart::engine {
namespace {

constexpr uint32_t kSize = 1009;

PickerNode out_of_service(PickerNode node) {
  node.effective = Weight();
  return node;
}

using Built = std::shared_ptr<const Chash>;

Built build(const std::vector<PickerNode>& nodes, const Built& former = nullptr,
            uint32_t size = kSize) {
  return Chash::build(nodes, {.table_size = size, .seed = 7}, former.get()).value();
}

// "identity address" by slot: a hash below the table's size names a slot.
std::vector<std::string> owners(const Built& chash, const std::vector<PickerNode>& nodes,
                                const Tried& tried = {}, uint32_t size = kSize) {
  std::vector<std::string> all;
  for (uint32_t slot = 0; slot < size; ++slot) {
    const auto place = chash->pick(slot, tried);
    all.push_back(place ? nodes[place->node].identity + " " +
                              nodes[place->node].addresses[place->address]
                        : "-");
  }
  return all;
}

std::map<std::string, int> counted(const std::vector<std::string>& owners) {
  std::map<std::string, int> counts;
  for (const std::string& owner : owners) ++counts[owner];
  return counts;
}

size_t differences(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  size_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

TEST(Chash, OwnsSlotsByExactShares) {  // P8 W5
  const std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 2), node_of("c", 0)};
  const auto counts = counted(owners(build(nodes), nodes));
  EXPECT_EQ(counts.at("a a:80"), 336);
  EXPECT_EQ(counts.at("b b:80"), 673);
  EXPECT_EQ(counts.size(), 2u);
}

TEST(Chash, SendsAKeyToTheSameNodeEachTime) {  // P8
  const std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1), node_of("c", 1)};
  const Built chash = build(nodes);
  for (const uint64_t hash : {uint64_t{0}, uint64_t{12345}, ~uint64_t{0}}) {
    EXPECT_EQ(chash->pick(hash)->node, chash->pick(hash)->node);
    EXPECT_EQ(chash->pick(hash)->node, chash->pick(hash % kSize)->node);
  }
}

TEST(Chash, MovesOnlyTheKeysOfANodeThatMayNotServeAndGivesThemBack) {  // P8
  std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1), node_of("c", 1)};
  const Built before = build(nodes);
  const auto all_up = owners(before, nodes);
  nodes[1] = out_of_service(nodes[1]);
  const Built down = build(nodes, before);
  const auto b_down = owners(down, nodes);
  for (uint32_t slot = 0; slot < kSize; ++slot) {
    if (all_up[slot] == "b b:80") {
      EXPECT_NE(b_down[slot], "b b:80");
    } else {
      EXPECT_EQ(b_down[slot], all_up[slot]);
    }
  }
  nodes[1] = node_of("b", 1);
  EXPECT_EQ(owners(build(nodes, down), nodes), all_up);
}

TEST(Chash, SpreadsTheKeysOfANodeThatMayNotServeOverAllOthers) {  // P8
  constexpr uint32_t kLarge = 65537;
  std::vector<PickerNode> nodes;
  for (const char* name : {"a", "b", "c", "d", "e"}) nodes.push_back(node_of(name, 1));
  const Built up = build(nodes, nullptr, kLarge);
  const auto before = counted(owners(up, nodes, {}, kLarge));
  nodes[0] = out_of_service(nodes[0]);
  const auto after = counted(owners(build(nodes, up, kLarge), nodes, {}, kLarge));
  const double even = before.at("a a:80") / 4.0;
  for (const auto& [owner, count] : after) {
    EXPECT_NEAR((count - before.at(owner)) / even, 1, 0.7) << owner;
  }
}

TEST(Chash, WalksPastTriedNodes) {  // P8 P3
  const std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1), node_of("c", 1)};
  const Built chash = build(nodes);
  for (uint32_t slot = 0; slot < kSize; ++slot) {
    Tried tried;
    for (int tries = 0; tries < 3; ++tries) {
      const auto place = chash->pick(slot, tried);
      ASSERT_TRUE(place.has_value());
      ASSERT_FALSE(tried.has(place->node));
      tried.add(place->node);
    }
    ASSERT_FALSE(chash->pick(slot, tried).has_value());
  }
}

TEST(Chash, WalksFromTheLastSlotToTheFirst) {  // P8
  std::vector<PickerNode> nodes = {node_of("a", 1), out_of_service(node_of("b", 4))};
  const Built chash = build(nodes, nullptr, 5);
  for (uint32_t slot = 0; slot < 5; ++slot) EXPECT_EQ(chash->pick(slot)->node, 0u);
}

TEST(Chash, AnswersNothingWhenNobodyIsLeft) {  // P8 W3
  EXPECT_FALSE(build({})->pick(1).has_value());
  EXPECT_FALSE(build({node_of("a", 0)})->pick(1).has_value());
  EXPECT_FALSE(build({out_of_service(node_of("a", 1))})->pick(1).has_value());
  EXPECT_FALSE(Chash().pick(1).has_value());
}

TEST(Chash, ANodeThatJoinsTakesItsShareAndNothingElseMoves) {  // P8 W6
  std::vector<PickerNode> nodes = {node_of("b", 1), node_of("c", 1), node_of("d", 1)};
  const Built three = build(nodes);
  const auto before = owners(three, nodes);
  nodes.insert(nodes.begin(), node_of("a", 1));  // every number changes
  const auto after = owners(build(nodes, three), nodes);
  EXPECT_EQ(differences(before, after), static_cast<size_t>(counted(after).at("a a:80")));
}

TEST(Chash, MovesTheFewestSlotsOverARampAndEndsCloseToTheGoal) {  // P8 W6 W7
  const SlowStart block = {.window = std::chrono::seconds(100), .min_weight_percent = 1};
  std::vector<PickerNode> nodes;
  for (int i = 0; i < 10; ++i) nodes.push_back(node_of("n" + std::to_string(i), 100));
  Built chash = build(nodes);
  auto former = owners(chash, nodes);
  nodes.push_back(node_of("new", 100));
  size_t moved = 0;
  for (int second = 0; second <= 100; ++second) {
    nodes.back().ramped = ramped_weight(100, block, std::chrono::seconds(second));
    nodes.back().effective = nodes.back().ramped;
    chash = build(nodes, chash);
    const auto now = owners(chash, nodes);
    moved += differences(former, now);
    former = now;
  }
  const int share = counted(former).at("new new:80");
  EXPECT_EQ(share, kSize / 11);
  EXPECT_LE(moved, 3u * share) << "rounding moves a few between the others";
  EXPECT_LE(differences(former, owners(build(nodes), nodes)), kSize / 20);
}

TEST(Chash, ANodeThatLeavesMovesItsOwnSlotsAndNothingElse) {  // P8 W6
  std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1), node_of("c", 1)};
  const Built three = build(nodes);
  const auto before = owners(three, nodes);
  nodes.erase(nodes.begin() + 1);
  const auto after = owners(build(nodes, three), nodes);
  EXPECT_EQ(differences(before, after), static_cast<size_t>(counted(before).at("b b:80")));
}

TEST(Chash, RefillsAllPrioritiesFromOneBudget) {  // W7 P7
  // The same nodes in both: tables that came about by a join are off the goal in both.
  std::vector<PickerNode> upper, lower;
  for (const char* name : {"a", "b", "c"}) {
    upper.push_back(node_of(std::string("1") + name, 1));
    lower.push_back(node_of(std::string("2") + name, 1));
    upper.back().priority = 1;
  }
  const auto both = [&](size_t from) {
    std::vector<PickerNode> nodes(upper.begin() + from, upper.end());
    nodes.insert(nodes.end(), lower.begin() + from, lower.end());
    return nodes;
  };
  const std::vector<PickerNode> nodes = both(0);
  Tried all_upper;
  for (NodeNumber node = 0; node < 3; ++node) all_upper.add(node);
  const auto tables = [&](const Built& chash) {
    auto slots = owners(chash, nodes);
    const auto below = owners(chash, nodes, all_upper);
    slots.insert(slots.end(), below.begin(), below.end());
    return slots;
  };
  const Built joined = build(nodes, build(both(1)));
  const auto refilled = [&](uint32_t most) {
    return differences(tables(joined),
                       tables(Chash::build(nodes, {kSize, 7}, joined.get(), most).value()));
  };
  const size_t off_goal = refilled(2 * kSize);
  ASSERT_GT(off_goal, 8u);
  for (const uint32_t most : {2u, 4u, 8u}) EXPECT_LE(refilled(most), most);
  EXPECT_GE(refilled(off_goal), off_goal - 2) << "what the first leaves is the second's";
}

TEST(Chash, RefillsThoughANodeThatMayNotServeIsNotAtItsFullWeight) {  // W7 P8
  std::vector<PickerNode> nodes = {node_of("a", 100), node_of("b", 100), node_of("c", 100)};
  const Built before = build({nodes[0], nodes[1]});
  nodes[2].ramped = Weight::whole(1);
  nodes[2].effective = Weight::whole(1);
  EXPECT_FALSE(build(nodes, before)->off_goal()) << "it serves and ramps";
  nodes[2].effective = Weight();
  const std::vector<PickerNode> two = {nodes[1], nodes[2]};
  EXPECT_TRUE(build(nodes, build(two))->off_goal()) << "it waits for its first pass";
}

TEST(Chash, FollowsTheRampOfANodeThatIsNotEligible) {  // P8
  std::vector<PickerNode> nodes = {node_of("a", 100), node_of("b", 100)};
  nodes[1].ramped = Weight::whole(50);
  const Built eligible = build(nodes);
  nodes[1].effective = Weight();
  const Built down = build(nodes);
  Tried a;
  a.add(0);
  EXPECT_FALSE(down->pick(3, a).has_value());
  nodes[1].effective = Weight::whole(50);
  EXPECT_EQ(counted(owners(build(nodes, down), nodes)), counted(owners(eligible, nodes)));
  EXPECT_EQ(owners(build(nodes, down), nodes), owners(eligible, nodes));
}

TEST(Chash, AimsAtTargetWeightsSoThatARampSeenHalfwayEndsAtTheGoal) {  // W7
  std::vector<PickerNode> nodes = {node_of("a", 100), node_of("b", 100), node_of("c", 100)};
  const auto goal = owners(build(nodes), nodes);
  nodes[1].effective = nodes[1].ramped = Weight::whole(40);
  const Built halfway = build(nodes);
  EXPECT_EQ(counted(owners(halfway, nodes)).at("b b:80"), kSize * 40 / 240);
  nodes[1] = node_of("b", 100);
  EXPECT_EQ(owners(build(nodes, halfway), nodes), goal);
}

TEST(Chash, StartsAfreshForAnotherSizeOrSeed) {  // W7
  const std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1)};
  const Built former = build(nodes);
  EXPECT_EQ(owners(build(nodes, former, 503), nodes, {}, 503),
            owners(build(nodes, nullptr, 503), nodes, {}, 503));
  const Built seeded = Chash::build(nodes, {kSize, 8}, former.get()).value();
  EXPECT_NE(owners(seeded, nodes), owners(former, nodes));
}

TEST(Chash, RefusesASizeThatNoTableCanHave) {  // W5
  for (const uint32_t size : {0u, 1u, 4u, 100u, 65535u}) {
    const auto refused = Chash::build(std::vector{node_of("a", 1)}, {.table_size = size}, nullptr);
    ASSERT_FALSE(refused.ok()) << size;
    EXPECT_EQ(refused.error().text,
              "a table of " + std::to_string(size) + " slots: the number must be prime");
  }
  for (const uint32_t size : {2u, 3u, 251u}) {
    EXPECT_TRUE(Chash::build(std::vector{node_of("a", 1)}, {.table_size = size}, nullptr).ok());
  }
}

TEST(Chash, RefusesMoreAddressesThanSlots) {  // W4
  std::vector<PickerNode> nodes;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) nodes.push_back(node_of(name, 1));
  const auto refused = Chash::build(nodes, {.table_size = 5, .seed = 0}, nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().text, "6 addresses do not fit 5 slots");
  nodes.pop_back();
  const Built full = build(nodes, nullptr, 5);
  EXPECT_EQ(counted(owners(full, nodes, {}, 5)).size(), 5u);
}

TEST(Chash, HasAnOwnerForAsManyAddressesAsAnOwnerCanNumber) {  // W4
  std::vector<PickerNode> nodes = {node_of("a", 1)};
  nodes[0].addresses.clear();
  for (int i = 1; i <= 65535; ++i) nodes[0].addresses.push_back(std::to_string(i));
  const Built full = build(nodes, nullptr, 65537);
  EXPECT_EQ(counted(owners(full, nodes, {}, 65537)).size(), 65535u);
}

// S4.5.

TEST(Chash, AddressesOfANodeShareItsWeightEqually) {  // S4.5
  std::vector<PickerNode> nodes = {node_of("a", 2), node_of("b", 2)};
  nodes[0].addresses = {"y", "x", "y"};
  const auto counts = counted(owners(build(nodes), nodes));
  EXPECT_NEAR(counts.at("a x"), kSize / 4, 1);
  EXPECT_NEAR(counts.at("a y"), kSize / 4, 1);
  EXPECT_NEAR(counts.at("b b:80"), kSize / 2, 1);
}

TEST(Chash, ATriedNodeIsNotTriedAtAnotherOfItsAddresses) {  // S4.5 P3
  std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1)};
  nodes[0].addresses = {"x", "y"};
  Tried tried;
  tried.add(0);
  const auto counts = counted(owners(build(nodes), nodes, tried));
  EXPECT_EQ(counts.size(), 1u);
}

TEST(Chash, APodThatMovesKeepsItsSlotsAndIsFoundAtItsNewAddress) {  // S4.3 S4.5
  std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1)};
  const Built before = build(nodes);
  const auto was = owners(before, nodes);
  nodes[1].addresses = {"elsewhere"};
  const auto now = owners(build(nodes, before), nodes);
  for (uint32_t slot = 0; slot < kSize; ++slot) {
    EXPECT_EQ(now[slot], was[slot] == "b b:80" ? "b elsewhere" : was[slot]);
  }
  EXPECT_EQ(owners(build(nodes), nodes), now) << "a balancer that never saw it elsewhere agrees";
}

TEST(Chash, OrdersAddressesByTheirTextWhateverTheirOrder) {  // S4.5 W9
  std::vector<PickerNode> nodes = {node_of("a", 3), node_of("b", 1)};
  nodes[0].addresses = {"x", "y", "z"};
  const auto there = owners(build(nodes), nodes);
  nodes[0].addresses = {"z", "x", "y"};
  EXPECT_EQ(owners(build(nodes), nodes), there);
}

TEST(Chash, AnAddressMoreTakesSlotsOfItsOwnNodeOnly) {  // S4.5 W6
  std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1)};
  nodes[1].addresses = {"x", "y"};
  const Built before = build(nodes);
  const auto was = owners(before, nodes);
  nodes[1].addresses = {"x", "new", "y"};
  const auto now = owners(build(nodes, before), nodes);
  for (uint32_t slot = 0; slot < kSize; ++slot) {
    if (was[slot] != now[slot]) {
      EXPECT_EQ(was[slot][0], 'b') << was[slot] << " to " << now[slot];
    }
  }
}

// P7.

TEST(Chash, ALowerPriorityIsUsedOnlyWhenTheHigherOneIsSpent) {  // P7 W4
  std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1), node_of("c", 1)};
  nodes[0].priority = -1;
  const Built up = build(nodes);
  EXPECT_FALSE(counted(owners(up, nodes)).contains("a a:80"));
  Tried tried;
  tried.add(1);
  EXPECT_EQ(counted(owners(up, nodes, tried)).at("c c:80"), static_cast<int>(kSize));
  tried.add(2);
  EXPECT_EQ(counted(owners(up, nodes, tried)).at("a a:80"), static_cast<int>(kSize));
  nodes[1] = out_of_service(nodes[1]);
  nodes[2] = out_of_service(nodes[2]);
  const Built down = build(nodes, up);
  EXPECT_EQ(counted(owners(down, nodes)).at("a a:80"), static_cast<int>(kSize));
}

// Nodes that came and went left slots off the goal: some a generation go back, and none while a
// node ramps.
TEST(Chash, RefillsItsTableOnceNothingRamps) {  // W7
  constexpr uint32_t kRefill = 10;
  const auto refilled = [](const std::vector<PickerNode>& nodes, const Built& former) {
    return Chash::build(nodes, {.table_size = kSize, .seed = 7}, former.get(), kRefill).value();
  };
  std::vector<PickerNode> nodes = {node_of("a", 100), node_of("b", 100), node_of("c", 100)};
  const Built fresh = build(nodes);
  EXPECT_FALSE(fresh->off_goal());
  Built chash = fresh;
  for (const char* others : {"dbe", "cd", "aef", "db"}) {
    std::vector<PickerNode> meanwhile;
    for (const char* name = others; *name != '\0'; ++name) {
      meanwhile.push_back(node_of(std::string(1, *name), 100));
    }
    std::sort(meanwhile.begin(), meanwhile.end(),
              [](const auto& x, const auto& y) { return x.identity < y.identity; });
    chash = build(meanwhile, chash);
  }
  chash = build(nodes, chash);
  ASSERT_GT(differences(owners(chash, nodes), owners(fresh, nodes)), kRefill);
  EXPECT_TRUE(chash->off_goal());

  std::vector<PickerNode> one_ramps = nodes;
  one_ramps[1].ramped = Weight::whole(99);
  EXPECT_FALSE(build(one_ramps, chash)->off_goal()) << "not while one ramps";
  const Built moved = build(one_ramps, chash);
  EXPECT_EQ(owners(refilled(one_ramps, chash), nodes), owners(moved, nodes));

  while (chash->off_goal()) {
    const Built next = refilled(nodes, chash);
    const size_t moves = differences(owners(next, nodes), owners(chash, nodes));
    ASSERT_GT(moves, 0u);
    ASSERT_LE(moves, kRefill);
    chash = next;
  }
  EXPECT_EQ(owners(chash, nodes), owners(fresh, nodes));
}

}  // namespace
}  // namespace rampart::engine
