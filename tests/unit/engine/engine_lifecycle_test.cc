// SPDX-License-Identifier: Apache-2.0
// S3 where it concerns a whole scope: baselines, snapshots, blocks that come and go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/engine/one_scope.h"

namespace rampart::engine {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

SlowStart with_grace(std::chrono::seconds window, std::chrono::seconds grace) {
  SlowStart block = window_of(window);
  block.startup_grace = grace;
  return block;
}

TEST(EngineLifecycle, MakesTheFirstSetMature) {  // S3.1
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}, {"b", 100}}, at(50s));
  EXPECT_EQ(pool.shown("a", at(50s)), 100u);
  EXPECT_EQ(pool.lifecycle("b", at(50s)), Lifecycle::kMature);
  EXPECT_THAT(pool.events(), IsEmpty());
}

TEST(EngineLifecycle, TakesWhatAppearsInsideTheStartupGraceForABaseline) {  // S3.1
  OneScope pool(with_grace(10s, 5s), at(100s));
  pool.list({{"a", 100}}, at(101s));
  pool.list({{"a", 100}, {"b", 100}}, at(105s - 1ns));
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}}, at(105s));
  EXPECT_EQ(pool.lifecycle("b", at(105s)), Lifecycle::kMature);
  EXPECT_EQ(pool.lifecycle("c", at(105s)), Lifecycle::kRamping) << "the edge is strict";
}

TEST(EngineLifecycle, DoesNotExtendTheGraceByAReload) {  // S3.1
  OneScope pool(with_grace(10s, 5s));
  pool.list({{"a", 100}}, at(1s));
  pool.set_block(with_grace(20s, 5s), at(8s));
  pool.list({{"a", 100}, {"b", 100}}, at(8s));
  EXPECT_EQ(pool.lifecycle("b", at(8s)), Lifecycle::kRamping);
}

TEST(EngineLifecycle, TakesAGraceOfAnyLength) {  // S1
  OneScope pool(with_grace(10s, std::chrono::seconds::max()));
  pool.list({{"a", 100}}, at(1s));
  pool.list({{"a", 100}, {"b", 100}}, at(1000s));
  EXPECT_EQ(pool.lifecycle("b", at(1000s)), Lifecycle::kMature);
}

TEST(EngineLifecycle, RampsANodeThatJoins) {  // S3.3 S3.6
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}, {"c", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}}, at(20s));
  EXPECT_EQ(pool.shown("b", at(20s)), 10u);
  EXPECT_EQ(pool.shown("b", at(25s)), 50u);
  EXPECT_EQ(pool.shown("b", at(30s)), 100u);
  EXPECT_EQ(pool.lifecycle("b", at(30s)), Lifecycle::kMature);
  EXPECT_THAT(pool.events(), ElementsAre("began b", "finished b"));
}

TEST(EngineLifecycle, RampsTheSecondNodeOfAScope) {  // S3.20
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  EXPECT_EQ(pool.lifecycle("a", at(0s)), Lifecycle::kMature);
  EXPECT_EQ(pool.lifecycle("b", at(0s)), Lifecycle::kRamping);
}

TEST(EngineLifecycle, RampsTheNodeThatReplacesTheOnlyOne) {  // S3.3
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"b", 100}}, at(5s));
  EXPECT_EQ(pool.lifecycle("b", at(5s)), Lifecycle::kRamping);
}

TEST(EngineLifecycle, StartsTheRampOfAPendingNodeWhenItPasses) {  // S3.4 S3.10
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.engine().set_health("pool", "b", Health::kDown, at(1s));
  pool.list({{"a", 100}, {"b", 100}}, at(2s));
  EXPECT_EQ(pool.lifecycle("b", at(60s)), Lifecycle::kPending);
  EXPECT_EQ(pool.shown("b", at(60s)), 0u);
  pool.up("b", at(60s));
  EXPECT_EQ(pool.node("b", at(60s)).ramp_start, at(60s));
  EXPECT_THAT(pool.events(), ElementsAre("began b"));
}

TEST(EngineLifecycle, StartsTheRampOfAPendingNodeInsideTheGraceToo) {  // S3.4
  OneScope pool(with_grace(10s, 0s), at(0s));
  pool.list({{"a", 100}}, at(0s));
  pool.down("b", at(1s));
  pool.list({{"a", 100}, {"b", 100}}, at(2s));
  pool.set_block(with_grace(10s, 60s), at(3s));
  pool.up("b", at(4s));
  EXPECT_EQ(pool.lifecycle("b", at(4s)), Lifecycle::kRamping);
}

TEST(EngineLifecycle, RestartsAfterMoreThanAWindowOfDowntimeOnly) {  // S3.5 S3.7
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.down("a", at(20s));
  pool.up("a", at(30s));
  EXPECT_EQ(pool.lifecycle("a", at(30s)), Lifecycle::kMature);
  pool.down("a", at(40s));
  pool.up("a", at(50s + 1ns));
  EXPECT_EQ(pool.node("a", at(50s + 1ns)).ramp_start, at(50s + 1ns));
  EXPECT_THAT(pool.events(), ElementsAre("resumed a", "restarted a"));
}

TEST(EngineLifecycle, DoesNotStopTheClockOfARampWhileItsNodeIsDown) {  // S3.7 S3.8
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(20s));
  pool.down("b", at(21s));
  EXPECT_EQ(pool.lifecycle("b", at(24s)), Lifecycle::kRamping);
  EXPECT_EQ(pool.shown("b", at(24s)), 0u);
  pool.up("b", at(25s));
  EXPECT_EQ(pool.shown("b", at(25s)), 50u);
  EXPECT_THAT(pool.events(), ElementsAre("began b", "resumed b"));
}

TEST(EngineLifecycle, CountsTheMarkFromTheFirstOfSeveralFailures) {  // S3.8
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.down("a", at(1s));
  pool.down("a", at(9s));
  pool.up("a", at(12s));
  EXPECT_EQ(pool.lifecycle("a", at(12s)), Lifecycle::kRamping);
}

TEST(EngineLifecycle, TakesADownNodeOfABaselineForMature) {  // S3.9
  OneScope pool(window_of(10s));
  pool.engine().set_health("pool", "b", Health::kDown, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  EXPECT_EQ(pool.lifecycle("b", at(0s)), Lifecycle::kMature);
  EXPECT_EQ(pool.shown("b", at(0s)), 0u);
  pool.up("b", at(5s));
  EXPECT_EQ(pool.shown("b", at(5s)), 100u);
}

TEST(EngineLifecycle, ResumesWhatIsRemovedForLessThanAWindow) {  // S3.11
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.list({{"a", 100}}, at(1s));
  pool.list({{"a", 100}, {"b", 100}}, at(5s));
  EXPECT_EQ(pool.shown("b", at(5s)), 50u);
  EXPECT_THAT(pool.events(), ElementsAre("began b", "resumed b"));
}

TEST(EngineLifecycle, RestartsWhatIsRemovedForExactlyAWindow) {  // S3.11
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.list({{"a", 100}}, at(5s));
  pool.list({{"a", 100}, {"b", 100}}, at(15s));
  EXPECT_EQ(pool.node("b", at(15s)).ramp_start, at(15s));
}

TEST(EngineLifecycle, KeepsWhatWasSaidOfAnAbsentNode) {  // S3.11
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.down("b", at(1s));
  pool.list({{"a", 100}}, at(2s));
  pool.list({{"a", 100}, {"b", 100}}, at(3s));
  EXPECT_FALSE(pool.node("b", at(3s)).eligible);
}

TEST(EngineLifecycle, MakesTheFirstSetAfterEmptyABaseline) {  // S3.12
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({}, at(10s));
  pool.list({{"b", 100}, {"c", 100}}, at(30s));
  EXPECT_EQ(pool.lifecycle("b", at(30s)), Lifecycle::kMature);
  EXPECT_EQ(pool.lifecycle("c", at(30s)), Lifecycle::kMature);
  pool.list({{"b", 100}, {"c", 100}, {"d", 100}}, at(30s));
  EXPECT_EQ(pool.lifecycle("d", at(30s)), Lifecycle::kRamping) << "without a grace only that set";
}

TEST(EngineLifecycle, KeepsTheBaselineAfterEmptyOpenForTheGrace) {  // S3.12
  OneScope pool(with_grace(10s, 5s));
  pool.list({}, at(0s));
  pool.list({{"a", 100}}, at(30s));
  pool.list({{"a", 100}, {"b", 100}}, at(35s - 1ns));
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}}, at(35s));
  EXPECT_EQ(pool.lifecycle("a", at(35s)), Lifecycle::kMature);
  EXPECT_EQ(pool.lifecycle("b", at(35s)), Lifecycle::kMature);
  EXPECT_EQ(pool.lifecycle("c", at(35s)), Lifecycle::kRamping);
}

TEST(EngineLifecycle, BuriesTheNodesOfAScopeThatBecomesEmpty) {  // S3.12
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(10s));
  pool.list({}, at(11s));
  pool.list({{"b", 100}}, at(15s));
  EXPECT_EQ(pool.shown("b", at(15s)), 50u) << "its tombstone stands, so it resumes";
}

TEST(EngineLifecycle, DropsItsStateWithTheBlock) {  // S3.13
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(1s));
  pool.set_block(std::nullopt, at(2s));
  EXPECT_EQ(pool.shown("b", at(2s)), 100u);
  EXPECT_EQ(pool.lifecycle("b", at(2s)), Lifecycle::kNone);
  EXPECT_FALSE(pool.engine().next_deadline());
  pool.set_block(window_of(10s), at(3s));
  EXPECT_EQ(pool.lifecycle("b", at(3s)), Lifecycle::kMature);
}

TEST(EngineLifecycle, KeepsPendingNodesWhenTheBlockGoes) {  // S0 S3.13
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.down("b", at(1s));
  pool.list({{"a", 100}, {"b", 100}}, at(1s));
  pool.set_block(std::nullopt, at(2s));
  EXPECT_EQ(pool.lifecycle("b", at(2s)), Lifecycle::kPending);
}

TEST(EngineLifecycle, ReportsWhatHappenedBeforeAScopeIsRemoved) {  // S3.24
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  EXPECT_THAT(pool.events(), ElementsAre("began b"));
  pool.engine().set_desired({}, at(11s));
  const auto events = pool.engine().step(at(11s)).events;
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, Event::Kind::kFinished);
}

TEST(EngineLifecycle, TakesEveryNodeForMatureWhenABlockIsAdded) {  // S3.14
  OneScope pool(std::nullopt);
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.set_block(window_of(10s), at(60s));
  EXPECT_EQ(pool.shown("a", at(60s)), 100u);
  EXPECT_EQ(pool.lifecycle("a", at(60s)), Lifecycle::kMature);
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}}, at(61s));
  EXPECT_EQ(pool.lifecycle("c", at(61s)), Lifecycle::kRamping);
}

TEST(EngineLifecycle, TakesWhatComesTogetherWithABlockForMatureToo) {  // S3.14
  OneScope pool(std::nullopt);
  pool.list({{"a", 100}}, at(0s));
  pool.down("b", at(1s));
  pool.list({{"a", 100}, {"b", 100}}, at(1s));
  EXPECT_EQ(pool.lifecycle("b", at(1s)), Lifecycle::kPending);
  Scope scope = {OneScope::kId, {{"a", 100}, {"b", 100}, {"c", 100}}, window_of(10s)};
  pool.engine().set_desired({scope}, at(2s));
  for (const char* node : {"a", "b", "c"}) {
    EXPECT_EQ(pool.lifecycle(node, at(2s)), Lifecycle::kMature) << node;
  }
}

TEST(EngineLifecycle, MeasuresARampWithTheWindowInForce) {  // S3.15
  OneScope pool(window_of(100s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  EXPECT_EQ(pool.shown("b", at(20s)), 20u);
  pool.set_block(window_of(40s), at(20s));
  EXPECT_EQ(pool.shown("b", at(20s)), 50u);
  pool.set_block(window_of(200s), at(20s));
  EXPECT_EQ(pool.shown("b", at(20s)), 10u);
  pool.set_block(window_of(20s), at(20s));
  EXPECT_EQ(pool.lifecycle("b", at(20s)), Lifecycle::kMature);
  EXPECT_THAT(pool.events(), ElementsAre("began b", "finished b"));
}

TEST(EngineLifecycle, MeasuresMarksAndTombstonesWithTheWindowInForce) {  // S3.15
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}}, at(0s));
  pool.down("b", at(10s));
  pool.list({{"a", 100}, {"b", 100}}, at(10s));
  pool.set_block(window_of(60s), at(15s));
  pool.up("b", at(40s));
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}}, at(40s));
  EXPECT_EQ(pool.lifecycle("b", at(40s)), Lifecycle::kMature);
  EXPECT_EQ(pool.lifecycle("c", at(40s)), Lifecycle::kMature);
}

TEST(EngineLifecycle, AppliesTheCurveToANewWeightWithoutARestart) {  // S3.16
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(10s));
  pool.list({{"a", 50}, {"b", 200}}, at(15s));
  EXPECT_EQ(pool.shown("a", at(15s)), 50u);
  EXPECT_EQ(pool.shown("b", at(15s)), 100u);
  EXPECT_EQ(pool.node("b", at(15s)).ramp_start, at(10s));
  EXPECT_THAT(pool.events(), ElementsAre("began b"));
}

TEST(EngineLifecycle, LetsTheRampOfAZeroWeightNodeGoOn) {  // S3.17 W2
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 0}}, at(10s));
  EXPECT_EQ(pool.lifecycle("b", at(12s)), Lifecycle::kRamping);
  EXPECT_EQ(pool.shown("b", at(12s)), 0u);
  pool.list({{"a", 100}, {"b", 100}}, at(15s));
  EXPECT_EQ(pool.shown("b", at(15s)), 50u);
}

TEST(EngineLifecycle, LeavesOtherRampsAloneWhenANodeJoins) {  // S3.19
  OneScope pool(window_of(100s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  const NodeState before = pool.node("b", at(30s));
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}}, at(30500ms));
  EXPECT_EQ(pool.node("b", at(30500ms)), before);
}

TEST(EngineLifecycle, TakesRememberedIdentitiesForItsSnapshot) {  // S3.21 S3.2
  OneScope pool(window_of(10s));
  pool.engine().remember("pool", {"a", "gone"});
  pool.list({{"a", 100}, {"b", 100}}, at(5s));
  EXPECT_EQ(pool.lifecycle("a", at(5s)), Lifecycle::kMature);
  EXPECT_EQ(pool.lifecycle("b", at(5s)), Lifecycle::kRamping) << "it joined meanwhile";
}

TEST(EngineLifecycle, AppliesTheGraceToARememberedScope) {  // S3.21
  OneScope pool(with_grace(10s, 5s));
  pool.engine().remember("pool", {"a"});
  pool.list({{"a", 100}, {"b", 100}}, at(2s));
  EXPECT_EQ(pool.lifecycle("b", at(2s)), Lifecycle::kMature);
}

TEST(EngineLifecycle, TakesNothingRememberedForABaseline) {  // S3.21
  OneScope pool(with_grace(10s, 5s));
  pool.engine().remember("pool", {});
  pool.list({{"a", 100}}, at(30s));
  pool.list({{"a", 100}, {"b", 100}}, at(31s));
  EXPECT_EQ(pool.lifecycle("a", at(31s)), Lifecycle::kMature);
  EXPECT_EQ(pool.lifecycle("b", at(31s)), Lifecycle::kRamping) << "it did not become empty";
}

TEST(EngineLifecycle, KeepsTheSnapshotWithoutABlock) {  // S0
  OneScope pool(std::nullopt);
  pool.list({{"a", 100}}, at(0s));
  pool.down("b", at(1s));
  pool.list({{"a", 100}, {"b", 100}}, at(1s));
  EXPECT_EQ(pool.lifecycle("b", at(1s)), Lifecycle::kPending);
  EXPECT_EQ(pool.lifecycle("a", at(1s)), Lifecycle::kNone);
  EXPECT_EQ(pool.shown("a", at(1s)), 100u);
  pool.up("b", at(2s));
  EXPECT_EQ(pool.shown("b", at(2s)), 100u) << "every ratio is 1";
}

TEST(EngineLifecycle, TakesARenamedScopeForANewBaseline) {  // S1.7
  Engine engine(EngineConfig{});
  engine.set_desired({{"one", {{"a", 100}}, window_of(10s)}}, at(0s));
  engine.set_desired({{"two", {{"a", 100}, {"b", 100}}, window_of(10s)}}, at(5s));
  const auto snapshot = engine.step(at(5s)).snapshot;
  EXPECT_FALSE(snapshot->scopes.contains("one"));
  EXPECT_EQ(snapshot->scopes.at("two").nodes.at("b").lifecycle, Lifecycle::kMature);
}

TEST(Lifecycle, NothingRestartsWhenOrderAndPriorityChange) {  // S3.16
  OneScope pool(window_of(100s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(10s));
  pool.edit(at(30s), [](Scope& scope) {
    std::swap(scope.nodes[0], scope.nodes[1]);
    scope.nodes[0].priority = 7;
  });
  EXPECT_EQ(pool.node("b", at(40s)).priority, 7);
  EXPECT_EQ(pool.shown("b", at(40s)), 30u);
  EXPECT_EQ(pool.lifecycle("a", at(40s)), Lifecycle::kMature);
}

TEST(Lifecycle, TheOpeningAfterEmptyEndsWithTheBlock) {  // S3.13 S3.12
  SlowStart block = window_of(100s);
  block.startup_grace = 60s;
  OneScope pool(block, at(-1000s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({}, at(1s));
  pool.list({{"a", 100}}, at(2s));  // open until 62 s
  pool.set_block(std::nullopt, at(5s));
  pool.set_block(block, at(10s));
  pool.list({{"a", 100}, {"b", 100}}, at(20s));
  EXPECT_EQ(pool.lifecycle("b", at(20s)), Lifecycle::kRamping);
}

}  // namespace
}  // namespace rampart::engine
