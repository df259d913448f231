// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/engine.h"
#include "property/seeded.h"

namespace rampart::engine {
namespace {

class EngineLaws : public Seeded {
 protected:
  SlowStart any_block() {
    SlowStart block;
    block.window = std::chrono::seconds(between(1, 20));
    block.min_weight_percent = between(1, 30);
    block.interval = std::chrono::seconds(between<int64_t>(1, block.window.count()));
    block.startup_grace = std::chrono::seconds(between(0, 3));
    if (one_in(3)) block.on_recovery = OnRecovery::kRamp;
    return block;
  }
  Scope any_scope(const std::optional<SlowStart>& block) {
    Scope scope = {"pool", {}, block};
    for (const char* identity : {"a", "b", "c", "d", "e"}) {
      if (one_in(2)) scope.nodes.push_back({identity, between(0u, 100u)});
    }
    return scope;
  }
};

TEST_F(EngineLaws, DecideTheSameHoweverOftenTheyAreSteppedInAnyOrderOfInput) {  // S3 S3.23 W9
  for (int round = 0; round < 200; ++round) {
    Engine often(EngineConfig{});
    Engine seldom(EngineConfig{});
    std::optional<SlowStart> block = any_block();
    TimePoint now;
    for (int event = 0; event < 60; ++event) {
      now += std::chrono::milliseconds(between(0, 6000));
      if (one_in(10)) block = one_in(3) ? std::nullopt : std::optional(any_block());
      if (one_in(2)) {
        Scope scope = any_scope(block);
        often.set_desired({scope}, now);
        std::reverse(scope.nodes.begin(), scope.nodes.end());
        seldom.set_desired({scope}, now);
      } else {
        const Identity node(1, static_cast<char>('a' + between(0, 4)));
        const bool eligible = one_in(2);
        for (Engine* engine : {&often, &seldom})
          engine->set_health("pool", node, eligible ? Health::kUp : Health::kDown, now);
      }
      often.step(now);
      // Every deadline that passes before the next event.
      for (int i = 0; i < 3 && often.next_deadline(); ++i) often.step(now = *often.next_deadline());
      if (one_in(4)) {
        const auto& one = often.step(now).snapshot->scopes;
        ASSERT_EQ(one, seldom.step(now).snapshot->scopes);
      }
    }
  }
}

TEST_F(EngineLaws, ChangeNothingBetweenDeadlines) {  // S3.23
  for (int round = 0; round < 300; ++round) {
    Engine engine(EngineConfig{});
    const SlowStart block = any_block();
    TimePoint now;
    for (int event = 0; event < 10; ++event) {
      engine.set_desired({any_scope(block)}, now);
      const auto snapshot = engine.step(now).snapshot;
      const auto deadline = engine.next_deadline();
      const Duration quiet = deadline ? *deadline - now : std::chrono::hours(1);
      ASSERT_GT(quiet, Duration(0));
      const Duration wait(between<int64_t>(0, quiet.count() - 1));
      ASSERT_EQ(engine.step(now + wait).snapshot, snapshot);
      if (deadline) {
        ASSERT_NE(engine.step(*deadline).snapshot, snapshot);
      }
      now += quiet;
    }
  }
}

TEST_F(EngineLaws, KeepEveryWeightBetweenNothingAndItsTarget) {  // S2 W1
  for (int round = 0; round < 200; ++round) {
    Engine engine(EngineConfig{});
    const SlowStart block = any_block();
    TimePoint now;
    for (int event = 0; event < 40; ++event) {
      // The clock may move back.
      now += std::chrono::milliseconds(between(-3000, 6000));
      engine.set_desired({any_scope(block)}, now);
      engine.set_health("pool", "a", one_in(2) ? Health::kUp : Health::kDown, now);
      const auto snapshot = engine.step(now).snapshot;
      const ScopeState& scope = snapshot->scopes.at("pool");
      for (const auto& [identity, node] : scope.nodes) {
        ASSERT_LE(node.effective, Weight::whole(node.configured));
        const std::string reason = why(scope, identity);
        ASSERT_EQ(node.effective > Weight(), (node.eligible || scope.panic) && node.configured > 0)
            << reason;
        ASSERT_FALSE(reason.empty());
        ASSERT_GE(node.ramp_left, Duration(0));
        ASSERT_LE(node.ramp_left, block.window);
        if (node.lifecycle == Lifecycle::kMature && node.eligible) {
          ASSERT_EQ(node.effective, Weight::whole(node.configured));
        }
      }
    }
  }
}

}  // namespace
}  // namespace rampart::engine
