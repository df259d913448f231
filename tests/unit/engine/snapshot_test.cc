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

}  // namespace
}  // namespace rampart::engine
