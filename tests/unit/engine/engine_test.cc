// SPDX-License-Identifier: Apache-2.0
// The engine as its callers see it: snapshots, deadlines, what is said to have changed.
#include "engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/engine/one_scope.h"

namespace rampart::engine {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

SlowStart every(std::chrono::seconds interval, std::chrono::seconds window) {
  SlowStart block = window_of(window);
  block.interval = interval;
  return block;
}

Scope scope_of(ScopeId id, std::vector<Node> nodes) {
  return {std::move(id), std::move(nodes), window_of(10s)};
}

TEST(Engine, HasAnEmptySnapshotBeforeTheFirstStep) {
  Engine engine(EngineConfig{});
  ASSERT_NE(engine.snapshot(), nullptr);
  EXPECT_THAT(engine.snapshot()->scopes, IsEmpty());
  EXPECT_FALSE(engine.next_deadline());
}

// H5, H6: the order within a moment is of no matter.
TEST(Engine, TakesVerdictsOfAMomentTogetherAsItTakesThemOneByOne) {
  OneScope together(window_of(10s)), one_by_one(window_of(10s));
  for (OneScope* pool : {&together, &one_by_one}) {
    pool->list({{"a", 100}, {"b", 100}, {"c", 100}}, at(0s));
    pool->list({{"a", 100}, {"b", 100}, {"c", 100}, {"d", 100}}, at(60s));
  }
  const auto tell_both = [&](const std::vector<NodeHealth>& verdicts, TimePoint now) {
    together.engine().set_health(verdicts, now);
    for (const auto& [scope, identity, health] : verdicts) {
      one_by_one.engine().set_health(scope, identity, health, now);
    }
    (void)together.engine().step(now);
    (void)one_by_one.engine().step(now);
    EXPECT_EQ(together.engine().snapshot()->scopes, one_by_one.engine().snapshot()->scopes);
    EXPECT_EQ(together.engine().state(now), one_by_one.engine().state(now));
  };
  tell_both({{"pool", "b", Health::kDown}, {"pool", "d", Health::kDown}}, at(62s));
  tell_both({{"pool", "c", Health::kDown}, {"pool", "a", Health::kDown}}, at(64s));  // panic
  EXPECT_TRUE(together.engine().snapshot()->scopes.at("pool").panic);
  tell_both({{"pool", "d", Health::kUp}, {"pool", "a", Health::kUp}}, at(66s));
  EXPECT_FALSE(together.engine().snapshot()->scopes.at("pool").panic);
}

TEST(Engine, HandsOutTheSameSnapshotWhileNothingChanges) {
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  const auto before = pool.engine().snapshot();
  const StepResult again = pool.engine().step(at(5s));
  EXPECT_EQ(again.snapshot, before);
  EXPECT_THAT(again.changed, IsEmpty());
}

TEST(Engine, ChangesNothingWhenSteppedTwiceAtOneTime) {
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(1s));
  const StepResult first = pool.engine().step(at(4s));
  EXPECT_THAT(first.changed, ElementsAre("pool"));
  const StepResult second = pool.engine().step(at(4s));
  EXPECT_EQ(second.snapshot, first.snapshot);
  EXPECT_THAT(second.changed, IsEmpty());
  EXPECT_THAT(second.events, IsEmpty());
}

TEST(Engine, GrowsTheGenerationWithEveryChange) {
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  const uint64_t before = pool.engine().snapshot()->generation;
  pool.list({{"a", 99}}, at(0s));
  EXPECT_EQ(pool.engine().snapshot()->generation, before + 1);
}

TEST(Engine, NamesTheScopesThatDifferAppearOrGo) {
  Engine engine(EngineConfig{});
  engine.set_desired({scope_of("c", {{"x", 1}}), scope_of("a", {{"x", 1}})}, at(0s));
  EXPECT_THAT(engine.step(at(0s)).changed, ElementsAre("a", "c"));
  engine.set_desired({scope_of("b", {{"x", 1}}), scope_of("c", {{"x", 1}})}, at(1s));
  EXPECT_THAT(engine.step(at(1s)).changed, ElementsAre("a", "b"));
}

TEST(Engine, LeavesHandedOutSnapshotsAlone) {
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  const auto before = pool.engine().snapshot();
  pool.list({{"a", 7}}, at(1s));
  EXPECT_EQ(before->scopes.at("pool").nodes.at("a").configured, 100u);
}

TEST(Engine, TakesScopesAndNodesInAnyOrder) {  // W9
  std::vector<Node> nodes = {{"a", 3}, {"b", 2}, {"c", 1}};
  Engine one(EngineConfig{});
  one.set_desired({scope_of("p", nodes), scope_of("q", nodes)}, at(0s));
  std::reverse(nodes.begin(), nodes.end());
  Engine other(EngineConfig{});
  other.set_desired({scope_of("q", nodes), scope_of("p", nodes)}, at(0s));
  EXPECT_EQ(one.step(at(0s)).snapshot->scopes, other.step(at(0s)).snapshot->scopes);
}

TEST(Engine, RefreshesAtTheStartOfABucketOnly) {  // S3.23
  OneScope pool(every(5s, 100s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(12s));
  EXPECT_EQ(pool.shown("b", at(12s)), 1u);
  EXPECT_EQ(pool.shown("b", at(14999ms)), 1u);
  EXPECT_EQ(pool.shown("b", at(15s)), 3u);
  EXPECT_EQ(pool.shown("b", at(19s)), 3u);
  EXPECT_EQ(pool.shown("b", at(20s)), 8u);
}

TEST(Engine, EvaluatesANodeAtItsOwnTransitionInsideABucket) {  // S3.23
  OneScope pool(every(50s, 100s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}}, at(10s));
  pool.down("b", at(20s));
  pool.up("b", at(40s));
  EXPECT_EQ(pool.shown("b", at(45s)), 30u);
  EXPECT_EQ(pool.shown("c", at(45s)), 1u) << "a refresh changes only the node that caused it";
}

TEST(Engine, EndsARampAtItsOwnTimeNotTheBuckets) {  // S3.23
  OneScope pool(every(7s, 10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(1s));
  EXPECT_EQ(pool.shown("b", at(11s - 1ns)), 60u);
  EXPECT_EQ(pool.shown("b", at(11s)), 100u);
}

TEST(Engine, KnowsWhenItHasToBeSteppedNext) {  // S3.23
  OneScope pool(every(7s, 10s));
  pool.list({{"a", 100}}, at(0s));
  EXPECT_FALSE(pool.engine().next_deadline());
  pool.list({{"a", 100}, {"b", 100}}, at(1s));
  EXPECT_EQ(pool.engine().next_deadline(), at(7s));
  pool.engine().step(at(7s));
  EXPECT_EQ(pool.engine().next_deadline(), at(11s));
  pool.engine().step(at(11s));
  EXPECT_FALSE(pool.engine().next_deadline());
}

TEST(Engine, NeedsNoStepForARampThatEndedWhileItsNodeIsDown) {  // S3.8 S3.23
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(1s));
  pool.down("b", at(2s));
  EXPECT_EQ(pool.engine().next_deadline(), at(3s));
  pool.engine().step(at(12s));
  EXPECT_FALSE(pool.engine().next_deadline());
}

TEST(Engine, DecidesTheSameHoweverSeldomItIsStepped) {
  OneScope often(window_of(10s));
  OneScope seldom(window_of(10s));
  for (OneScope* pool : {&often, &seldom}) {
    pool->list({{"a", 100}}, at(0s));
    pool->list({{"a", 100}, {"b", 100}}, at(1s));
  }
  for (int second = 1; second < 15; ++second) often.engine().step(at(std::chrono::seconds(second)));
  for (OneScope* pool : {&often, &seldom}) {
    pool->down("b", at(15s));
    pool->set_block(window_of(300s), at(16s));
    pool->up("b", at(17s));
  }
  EXPECT_EQ(often.node("b", at(17s)), seldom.node("b", at(17s)));
  EXPECT_EQ(seldom.lifecycle("b", at(17s)), Lifecycle::kMature);
}

TEST(Engine, YieldsTheFloorWhenTheClockMovesBack) {  // S2.5
  OneScope pool(window_of(100s, 20));
  pool.list({{"a", 100}}, at(1000s));
  pool.list({{"a", 100}, {"b", 100}}, at(1001s));
  EXPECT_EQ(pool.shown("b", at(1051s)), 50u);
  EXPECT_EQ(pool.shown("b", at(5s)), 20u);
  EXPECT_EQ(pool.shown("b", at(-5s)), 20u);
  EXPECT_EQ(pool.shown("b", at(1051s)), 50u);
}

TEST(Engine, GivesAnIneligibleNodeNoWeight) {  // W1
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.down("a", at(1s));
  const NodeState node = pool.node("a", at(1s));
  EXPECT_EQ(node.effective, Weight());
  EXPECT_EQ(node.shown, 0u);
  EXPECT_EQ(node.configured, 100u);
  EXPECT_FALSE(node.eligible);
  EXPECT_EQ(node.lifecycle, Lifecycle::kMature);
}

TEST(Engine, SaysWhyANodeHasItsWeight) {
  OneScope pool(window_of(300s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}, {"c", 0}}, at(1s));
  EXPECT_EQ(pool.reason("a", at(31s)), "full weight: it was there when the scope started");
  EXPECT_EQ(pool.reason("b", at(31s)),
            "30 s of 300 s have passed since the ramp began: it joined a running scope");
  EXPECT_EQ(pool.reason("c", at(31s)), "its configured weight is 0: no new flows");
  pool.down("b", at(31500ms));
  EXPECT_EQ(pool.reason("b", at(31500ms)), "its checks say that it is down: no new flows");
}

TEST(Engine, TellsHowLongARampStillTakes) {
  OneScope pool(window_of(300s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(500ms));
  EXPECT_EQ(pool.node("b", at(31s)).ramp_start, at(500ms));
  EXPECT_EQ(pool.node("b", at(31s)).ramp_left, Duration(269500ms));
  EXPECT_NE(pool.reason("b", at(31s)).find("30.5 s of 300 s"), std::string::npos);
  EXPECT_FALSE(pool.node("a", at(31s)).ramp_start);
}

TEST(Engine, CarriesTheWholeEventOnce) {  // S3.24
  Engine engine(EngineConfig{});
  engine.set_desired({scope_of("p", {{"a", 1}})}, at(0s));
  engine.set_desired({scope_of("p", {{"a", 1}, {"b", 1}})}, at(1s));
  const std::vector<Event> events = engine.step(at(1s)).events;
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, Event::Kind::kBegan);
  EXPECT_EQ(events[0].scope, "p");
  EXPECT_EQ(events[0].identity, "b");
  EXPECT_EQ(events[0].reason, "it joined a running scope");
  EXPECT_THAT(engine.step(at(1s)).events, IsEmpty());
}

}  // namespace
}  // namespace rampart::engine
