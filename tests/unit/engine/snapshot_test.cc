// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot.h"

#include <gtest/gtest.h>

namespace rampart::engine {
namespace {

// Target weights are all above 0: what counts is what is in effect.
ScopeState scope_of(std::initializer_list<std::pair<int, uint32_t>> priorities_and_effective) {
  ScopeState scope;
  for (const auto& [priority, effective] : priorities_and_effective) {
    NodeState& node = scope.nodes["n" + std::to_string(scope.nodes.size())];
    node.configured = 5;
    node.priority = priority;
    node.effective = Weight::whole(effective);
  }
  return scope;
}

TEST(TierInUse, IsTheHighestThatHasANodeWithAnEffectiveWeight) {  // W4
  EXPECT_EQ(tier_in_use(scope_of({{0, 5}, {7, 5}, {-1, 5}})), 7);
  EXPECT_EQ(tier_in_use(scope_of({{7, 0}, {7, 0}, {0, 5}, {-1, 5}})), 0);
  EXPECT_EQ(tier_in_use(scope_of({{7, 0}, {-1, 1}})), -1);
  EXPECT_EQ(tier_in_use(scope_of({{7, 0}})), std::nullopt);
  EXPECT_EQ(tier_in_use({}), std::nullopt);
}

TEST(Summary, IsTheFirstThatHoldsOfTheThreeAxes) {  // W1
  NodeState node;
  EXPECT_STREQ(summary_of(node), "mature");
  node.lifecycle = Lifecycle::kMature;
  EXPECT_STREQ(summary_of(node), "mature");
  node.lifecycle = Lifecycle::kRamping;
  EXPECT_STREQ(summary_of(node), "ramping");
  node.lifecycle = Lifecycle::kPending;
  EXPECT_STREQ(summary_of(node), "pending");
  node.condition.health = Health::kUp;
  EXPECT_STREQ(summary_of(node), "pending");
  node.condition.health = Health::kDown;
  EXPECT_STREQ(summary_of(node), "down");
  node.condition.admin = Admin::kDrain;
  EXPECT_STREQ(summary_of(node), "draining");
  node.condition.admin = Admin::kMaintenance;
  EXPECT_STREQ(summary_of(node), "maintenance");
}

}  // namespace
}  // namespace rampart::engine
