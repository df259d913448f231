// SPDX-License-Identifier: Apache-2.0
// What checks and operators say, and what the engine makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/engine/one_scope.h"

namespace rampart::engine {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kCheck = 7, kOtherCheck = 8;

// a and b of weight 100 serve since 0 s.
class TwoServe : public testing::Test {
 protected:
  TwoServe() { pool.list({{"a", 100}, {"b", 100}}, at(0s)); }
  void check_by(std::optional<uint64_t> check, TimePoint now) {
    pool.edit(now, [&](Scope& scope) { scope.check = check; });
  }
  void discover(Weights nodes, TimePoint now) {
    pool.edit(now, [&](Scope& scope) {
      scope.nodes.clear();
      for (const auto& [identity, weight] : nodes) {
        scope.nodes.push_back({.identity = identity, .weight = weight, .discovered = true});
      }
    });
  }
  bool panic(TimePoint now) { return pool.engine().step(now).snapshot->scopes.at("pool").panic; }
  OneScope pool{window_of(10s)};
};
using Operators = TwoServe;
using Checks = TwoServe;
using Panic = TwoServe;

TEST_F(Operators, DrainTakesTheWeightAndLeavesTheLifecycleAlone) {  // F5 W1
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}}, at(0s));
  pool.set_admin("c", Admin::kDrain, at(2s));
  EXPECT_EQ(pool.node("c", at(2s)).effective, Weight());
  EXPECT_TRUE(pool.node("c", at(2s)).eligible);
  EXPECT_EQ(pool.node("c", at(2s)).ramped, Weight::whole(20)) << "as if it were not draining";
  EXPECT_EQ(pool.lifecycle("c", at(10s)), Lifecycle::kMature);
  pool.set_admin("c", Admin::kNone, at(60s));
  EXPECT_EQ(pool.shown("c", at(60s)), 100u) << "no mark was set";
  EXPECT_THAT(pool.events(), ElementsAre("began c", "finished c"));
}

TEST_F(Operators, MaintenanceIsIneligibility) {  // F5 S3.5
  pool.set_admin("a", Admin::kMaintenance, at(1s));
  EXPECT_EQ(pool.shown("a", at(1s)), 0u);
  EXPECT_FALSE(pool.node("a", at(1s)).eligible);
  pool.set_admin("a", Admin::kNone, at(12s));
  EXPECT_EQ(pool.lifecycle("a", at(12s)), Lifecycle::kRamping);
}

TEST_F(Operators, OneAdministrativeStateReplacesTheOther) {  // F5
  pool.set_admin("a", Admin::kMaintenance, at(1s));
  pool.set_admin("a", Admin::kDrain, at(2s));
  EXPECT_TRUE(pool.node("a", at(2s)).eligible);
  EXPECT_EQ(pool.shown("a", at(2s)), 0u);
}

TEST_F(Operators, AnOverrideTakesThePlaceOfTheConfiguredWeight) {  // W1 S2
  pool.engine().set_override("pool", "a", 40, at(1s));
  EXPECT_EQ(pool.shown("a", at(1s)), 40u);
  EXPECT_EQ(pool.node("a", at(1s)).configured, 100u);
  pool.list({{"a", 70}, {"b", 100}}, at(2s));
  EXPECT_EQ(pool.shown("a", at(2s)), 40u);
  pool.engine().set_override("pool", "a", std::nullopt, at(3s));
  EXPECT_EQ(pool.shown("a", at(3s)), 70u);
}

TEST_F(Operators, ARampOnRequestStartsNow) {  // S3.25
  EXPECT_TRUE(pool.engine().start_ramp("pool", "a", at(5s)));
  EXPECT_EQ(pool.shown("a", at(10s)), 50u);
  EXPECT_EQ(pool.node("a", at(10s)).cause, Cause::kOperator);
  EXPECT_EQ(pool.shown("b", at(10s)), 100u);
  EXPECT_THAT(pool.events(), ElementsAre("restarted a"));
}

TEST_F(Operators, ReadyWithARampIsOneEvent) {  // S3.25 S3.24
  pool.set_admin("a", Admin::kMaintenance, at(1s));
  EXPECT_TRUE(pool.engine().start_ramp("pool", "a", at(3s)));
  pool.set_admin("a", Admin::kNone, at(3s));
  EXPECT_EQ(pool.shown("a", at(8s)), 50u);
  EXPECT_THAT(pool.events(), ElementsAre("restarted a"));
}

TEST_F(Operators, ARampNeedsANodeAndABlock) {  // S3.25 S0
  EXPECT_FALSE(pool.engine().start_ramp("pool", "c", at(1s)));
  EXPECT_FALSE(pool.engine().start_ramp("other", "a", at(1s)));
  pool.set_block(std::nullopt, at(2s));
  EXPECT_FALSE(pool.engine().start_ramp("pool", "a", at(2s)));
}

TEST_F(Operators, WhatTheySaidOfAConfiguredNodeStaysUntilItIsCleared) {  // B6
  pool.set_admin("b", Admin::kDrain, at(1s));
  pool.list({{"a", 100}}, at(2s));
  pool.node("a", at(90s));
  pool.list({{"a", 100}, {"b", 100}}, at(100s));
  EXPECT_EQ(pool.node("b", at(100s)).condition.admin, Admin::kDrain);
}

TEST_F(Operators, WhatTheySaidOfADiscoveredNodeEndsWithItsTombstone) {  // B6
  discover({{"a", 100}, {"b", 100}}, at(0s));
  pool.set_admin("b", Admin::kDrain, at(1s));
  discover({{"a", 100}}, at(2s));
  discover({{"a", 100}, {"b", 100}}, at(11s));
  EXPECT_EQ(pool.node("b", at(11s)).condition.admin, Admin::kDrain);
  discover({{"a", 100}}, at(20s));
  discover({{"a", 100}, {"b", 100}}, at(30s));
  EXPECT_EQ(pool.node("b", at(30s)).condition.admin, Admin::kNone);
}

TEST_F(Checks, ANewcomerWaitsForItsFirstPass) {  // H2 S3.10 S3.4
  check_by(kCheck, at(0s));
  EXPECT_EQ(pool.shown("a", at(0s)), 100u) << "what serves goes on until a check says otherwise";
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}}, at(1s));
  EXPECT_EQ(pool.lifecycle("c", at(60s)), Lifecycle::kPending);
  EXPECT_EQ(pool.shown("c", at(60s)), 0u);
  pool.up("c", at(61s));
  EXPECT_EQ(pool.shown("c", at(66s)), 50u) << "a boot of a minute eats nothing of the ramp";
}

TEST_F(Checks, AChangedDefinitionStartsAfresh) {  // H3
  check_by(kCheck, at(0s));
  pool.down("a", at(1s));
  pool.list({{"a", 90}, {"b", 100}}, at(2s));
  EXPECT_EQ(pool.shown("a", at(2s)), 0u) << "a weight edit keeps the verdict";
  check_by(kOtherCheck, at(3s));
  EXPECT_EQ(pool.node("a", at(3s)).condition.health, Health::kUnknown);
}

TEST_F(Checks, AVerdictIsForgottenWithTheTombstone) {  // H2
  check_by(kCheck, at(0s));
  pool.up("b", at(1s));
  pool.list({{"a", 100}}, at(2s));
  pool.list({{"a", 100}, {"b", 100}}, at(12s));
  EXPECT_EQ(pool.lifecycle("b", at(12s)), Lifecycle::kPending);
}

TEST_F(Panic, UsesAllCandidatesWhenNoneIsEligible) {  // H6
  pool.down("a", at(1s));
  EXPECT_FALSE(panic(at(1s)));
  pool.down("b", at(2s));
  EXPECT_TRUE(panic(at(2s)));
  EXPECT_EQ(pool.shown("a", at(2s)), 100u);
  EXPECT_FALSE(pool.node("a", at(2s)).eligible);
  pool.up("b", at(3s));
  EXPECT_FALSE(panic(at(3s)));
  EXPECT_EQ(pool.shown("a", at(3s)), 0u);
}

TEST_F(Panic, BeginsBelowTheThreshold) {  // H6
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}, {"d", 100}}, at(0s));
  pool.edit(at(0s), [](Scope& scope) { scope.panic.threshold_percent = 50; });
  pool.down("a", at(1s));
  pool.down("b", at(1s));
  EXPECT_FALSE(panic(at(1s))) << "half of them is not below half";
  pool.down("c", at(2s));
  EXPECT_TRUE(panic(at(2s)));
}

TEST_F(Panic, ConcernsHealthAlone) {  // H6
  pool.set_admin("a", Admin::kMaintenance, at(1s));
  pool.down("b", at(2s));
  EXPECT_TRUE(panic(at(2s)));
  EXPECT_EQ(pool.shown("a", at(2s)), 0u) << "an operator took it out";
  EXPECT_EQ(pool.shown("b", at(2s)), 100u);
  pool.set_admin("b", Admin::kDrain, at(3s));
  EXPECT_FALSE(panic(at(3s))) << "no candidate";
  EXPECT_EQ(pool.shown("b", at(3s)), 0u);
}

TEST_F(Panic, DoesNotHappenWithFailClosed) {  // H6 W3
  pool.edit(at(0s), [](Scope& scope) { scope.panic.fail_closed = true; });
  pool.down("a", at(1s));
  pool.down("b", at(1s));
  EXPECT_FALSE(panic(at(1s)));
  EXPECT_EQ(pool.shown("a", at(1s)), 0u);
}

TEST_F(Panic, GivesAPendingNodeTheFloor) {  // H6 S2
  check_by(kCheck, at(0s));
  pool.list({{"a", 100}, {"b", 100}, {"c", 300}}, at(1s));
  pool.down("a", at(2s));
  pool.down("b", at(2s));
  EXPECT_EQ(pool.shown("c", at(2s)), 3u);
  EXPECT_EQ(pool.lifecycle("c", at(60s)), Lifecycle::kPending) << "panic is not eligibility";
}

TEST_F(Panic, IsNoOutageForWhatItUses) {  // S3.18
  pool.down("a", at(1s));
  pool.down("b", at(4s));
  pool.up("b", at(3600s));
  EXPECT_EQ(pool.lifecycle("b", at(3600s)), Lifecycle::kMature);
  pool.up("a", at(3607s));  // 3 s before and 7 s after: one window, and not more
  EXPECT_EQ(pool.lifecycle("a", at(3607s)), Lifecycle::kMature);
  EXPECT_THAT(pool.events(), ElementsAre("resumed a")) << "b served all the time";

  pool.down("a", at(4000s));
  pool.down("b", at(4004s));
  pool.up("b", at(5000s));
  pool.up("a", at(5006s) + 1ns);
  EXPECT_EQ(pool.lifecycle("a", at(5007s)), Lifecycle::kRamping);
}

TEST_F(TwoServe, ASourceThatHasNotSyncedIsNeitherEmptyNorASnapshot) {  // S3.26
  const auto synced = [&](bool is, TimePoint now) {
    pool.edit(now, [&](Scope& scope) {
      scope.synced = is;
      if (!is) scope.nodes.clear();
    });
  };
  synced(false, at(1s));
  EXPECT_EQ(pool.shown("a", at(1s)), 100u);
  synced(true, at(2s));  // it is empty after all
  pool.list({{"c", 100}}, at(3s));
  EXPECT_EQ(pool.lifecycle("c", at(3s)), Lifecycle::kMature);

  OneScope fresh(window_of(10s));
  fresh.edit(at(0s), [](Scope& scope) { scope.synced = false; });
  EXPECT_THAT(fresh.engine().snapshot()->scopes, IsEmpty());
  fresh.edit(at(60s), [](Scope& scope) {
    scope.synced = true;
    scope.nodes = {{"a", 100}};
  });
  EXPECT_EQ(fresh.lifecycle("a", at(60s)), Lifecycle::kMature) << "the first set is the baseline";
}

}  // namespace
}  // namespace rampart::engine
