// SPDX-License-Identifier: Apache-2.0
// What an engine hands to the one of the next process (S3.21).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "unit/engine/one_scope.h"

namespace rampart::engine {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

// The next process takes over `state` and finds a and b, which ramp over 100 s if they are new.
std::unique_ptr<Engine> next_process(const EngineState& state, TimePoint now) {
  auto next = std::make_unique<Engine>(EngineConfig{now});
  next->restore(state, now);
  next->set_desired(
      {{.id = "pool", .nodes = {{"a", 100}, {"b", 100}}, .slow_start = window_of(100s)}}, now);
  return next;
}

TEST(Restart, GoesOnWithARamp) {  // S3.21
  OneScope pool(window_of(100s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(10s));
  pool.events();
  pool.restart(at(40s));
  EXPECT_EQ(pool.shown("b", at(40s)), 30u);
  EXPECT_EQ(pool.shown("b", at(60s)), 50u);
  EXPECT_EQ(pool.lifecycle("a", at(60s)), Lifecycle::kMature);
  EXPECT_THAT(pool.events(), IsEmpty());
}

TEST(Restart, TakesWhatJoinedMeanwhileForNew) {  // S3.21
  OneScope pool(window_of(100s));
  pool.list({{"a", 100}}, at(0s));
  const EngineState state = pool.engine().state(at(5s));
  const auto next = next_process(state, at(10s));
  const auto nodes = next->step(at(10s)).snapshot->scopes.at("pool").nodes;
  EXPECT_EQ(nodes.at("a").lifecycle, Lifecycle::kMature);
  EXPECT_EQ(nodes.at("b").lifecycle, Lifecycle::kRamping);
}

TEST(Restart, WithoutStateIsABaseline) {  // S3.21 S3.1
  OneScope pool(window_of(100s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(10s));
  pool.restart(at(40s), /*with_state=*/false);
  EXPECT_EQ(pool.lifecycle("b", at(40s)), Lifecycle::kMature);
}

TEST(Restart, IsNoOutageForThoseThatPanicUses) {  // S3.18 S3.21
  OneScope pool(window_of(100s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.down("a", at(1s));
  pool.down("b", at(1s));  // nobody is left: panic
  const EngineState state = pool.engine().state(at(50s));
  const auto next = next_process(state, at(600s));
  next->set_health("pool", "a", Health::kUp, at(601s));
  const auto nodes = next->step(at(601s)).snapshot->scopes.at("pool").nodes;
  EXPECT_EQ(nodes.at("a").lifecycle, Lifecycle::kMature) << "it served all the time";
  EXPECT_EQ(nodes.at("b").unusable_since, at(601s)) << "of no age yet";
}

TEST(Restart, IsAnOutageForTheOthersThatAreDown) {  // S3.18 S3.21 S3.5
  OneScope pool(window_of(100s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.down("a", at(1s));
  const EngineState state = pool.engine().state(at(50s));
  const auto next = next_process(state, at(600s));
  next->set_health("pool", "a", Health::kUp, at(601s));
  const auto nodes = next->step(at(601s)).snapshot->scopes.at("pool").nodes;
  EXPECT_EQ(nodes.at("a").lifecycle, Lifecycle::kRamping);
}

TEST(Restart, KeepsMarksTombstonesVerdictsAndWhatOperatorsSaid) {  // S3.21 B6 H2
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}, {"d", 100}}, at(0s));
  pool.down("a", at(1s));
  pool.set_admin("b", Admin::kDrain, at(1s));
  pool.engine().set_override("pool", "b", 30, at(1s));
  pool.list({{"a", 100}, {"b", 100}, {"d", 100}}, at(2s));
  pool.restart(at(5s));
  EXPECT_EQ(pool.shown("a", at(5s)), 0u) << "the verdict";
  EXPECT_EQ(pool.node("b", at(5s)).condition.admin, Admin::kDrain);
  EXPECT_EQ(pool.node("b", at(5s)).target(), 30u);
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}, {"d", 100}}, at(11s));
  EXPECT_EQ(pool.lifecycle("c", at(11s)), Lifecycle::kMature) << "the tombstone";
  pool.up("a", at(11s) + 1ns);
  EXPECT_EQ(pool.lifecycle("a", at(12s)), Lifecycle::kRamping) << "the mark";
}

TEST(Restart, KeepsPendingNodesPending) {  // S3.21 H2
  OneScope pool(window_of(10s));
  pool.edit(at(0s), [](Scope& scope) { scope.check = 7; });
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(1s));
  pool.restart(at(5s));
  EXPECT_EQ(pool.lifecycle("b", at(5s)), Lifecycle::kPending);
  pool.up("b", at(6s));
  EXPECT_EQ(pool.lifecycle("b", at(6s)), Lifecycle::kRamping);
}

TEST(Restart, DatesNothingInTheFuture) {  // S3.21
  OneScope pool(window_of(100s));
  pool.list({{"a", 100}}, at(1000s));
  pool.list({{"a", 100}, {"b", 100}}, at(1010s));
  const EngineState state = pool.engine().state(at(1020s));
  const auto next = next_process(state, at(5s));
  EXPECT_EQ(next->step(at(5s)).snapshot->scopes.at("pool").nodes.at("b").ramp_start, at(5s));
  EXPECT_EQ(next->step(at(55s)).snapshot->scopes.at("pool").nodes.at("b").shown, 50u);
}

TEST(Restart, TakesABlockThatIsNewForEverybodyAlike) {  // S3.14 S3.21
  OneScope pool(std::nullopt);
  pool.list({{"a", 100}}, at(0s));
  const EngineState state = pool.engine().state(at(5s));
  EXPECT_FALSE(state.at(0).had_block);
  const auto next = next_process(state, at(10s));
  EXPECT_EQ(next->step(at(10s)).snapshot->scopes.at("pool").nodes.at("b").lifecycle,
            Lifecycle::kMature);
}

TEST(Restart, OfAScopeWhoseSourceHasNotSyncedKeepsTheState) {  // S3.21 S3.26
  OneScope pool(window_of(100s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(10s));
  const EngineState state = pool.engine().state(at(20s));
  Engine next(EngineConfig{at(20s)});
  next.restore(state, at(20s));
  next.set_desired({{.id = "pool", .nodes = {}, .slow_start = window_of(100s), .synced = false}},
                   at(20s));
  next.step(at(25s));
  EXPECT_EQ(next.state(at(30s)), state);
}

TEST(Restart, IsNothingForAScopeThatWasNeverListed) {  // S3.21
  Engine engine(EngineConfig{});
  engine.set_health("pool", "a", Health::kDown, at(1s));
  EXPECT_THAT(engine.state(at(2s)), IsEmpty());
}

TEST(Restart, RemembersThatTheScopeWasEmpty) {  // S3.12 S3.21
  OneScope pool(window_of(100s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({}, at(1s));
  pool.restart(at(5s));
  pool.list({{"b", 100}, {"c", 100}}, at(6s));
  EXPECT_EQ(pool.lifecycle("b", at(6s)), Lifecycle::kMature);
}

TEST(Restart, KeepsWhatAScopeWithoutSlowStartKnows) {  // S0 S3.21 H2
  OneScope pool(std::nullopt);
  pool.edit(at(0s), [](Scope& scope) { scope.check = 7; });
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.down("a", at(1s));
  pool.list({{"a", 100}, {"b", 100}, {"c", 100}}, at(2s));
  pool.restart(at(5s));
  EXPECT_FALSE(pool.node("a", at(5s)).eligible) << "the verdict";
  EXPECT_EQ(pool.lifecycle("c", at(5s)), Lifecycle::kPending);
}

TEST(Restart, IsNoTransition) {  // S3.21 S3.23
  SlowStart block = window_of(100s);
  block.interval = 10s;
  OneScope pool(block);
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  EXPECT_EQ(pool.shown("b", at(15s)), 10u);
  pool.restart(at(15s));
  EXPECT_EQ(pool.shown("b", at(15s)), 10u);
}

// What the engine of a new process hears first where a source has just begun.
void restart_unsynced(OneScope& pool, TimePoint now) {
  pool.edit(now, [](Scope& scope) { scope.synced = false; });
  pool.restart(now);
}
void sync(OneScope& pool, const std::vector<Node>& nodes, TimePoint now) {
  pool.edit(now, [&](Scope& scope) {
    scope.synced = true;
    scope.nodes = nodes;
  });
}

TEST(Restart, ForgetsTheVerdictOfANodeThatIsGone) {  // S3.21
  OneScope pool(std::nullopt);
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.down("b", at(1s));
  restart_unsynced(pool, at(5s));
  sync(pool, {{"a", 100}}, at(6s));
  sync(pool, {{"a", 100}, {"b", 100}}, at(7s));
  EXPECT_TRUE(pool.node("b", at(7s)).eligible);
}

TEST(Restart, TakesABlockForNewThoughItsSourceSyncsLater) {  // S3.14 S3.26
  OneScope pool(std::nullopt);
  pool.list({{"a", 100}}, at(0s));
  restart_unsynced(pool, at(5s));
  pool.edit(at(6s), [](Scope& scope) { scope.slow_start = window_of(100s); });
  sync(pool, {{"a", 100}, {"b", 100}}, at(7s));
  EXPECT_EQ(pool.lifecycle("b", at(7s)), Lifecycle::kMature);
}

TEST(Restart, EndsTombstonesBeforeTheSourceHasSynced) {  // S3.11 S3.26
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.list({{"a", 100}}, at(1s));
  restart_unsynced(pool, at(5s));
  pool.down("b", at(20s));
  sync(pool, {{"a", 100}, {"b", 100}}, at(21s));
  EXPECT_EQ(pool.lifecycle("b", at(21s)), Lifecycle::kPending) << "that it is down was said later";
}

}  // namespace
}  // namespace rampart::engine
