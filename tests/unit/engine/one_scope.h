// SPDX-License-Identifier: Apache-2.0
// An engine with one scope, "pool", driven with made-up times: for tests that read as a timeline.
#ifndef RAMPART_TESTS_UNIT_ENGINE_ONE_SCOPE_H_
#define RAMPART_TESTS_UNIT_ENGINE_ONE_SCOPE_H_

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace rampart::engine {

// A time, counted from when the clock was 0.
constexpr TimePoint at(Duration since_zero) {
  return TimePoint(since_zero);
}

inline SlowStart window_of(std::chrono::seconds window, int floor = 1, double aggression = 1) {
  SlowStart block;
  block.window = window;
  block.min_weight_percent = floor;
  block.aggression = aggression;
  return block;
}

using Weights = std::map<Identity, uint32_t>;

class OneScope {
 public:
  explicit OneScope(std::optional<SlowStart> block, TimePoint process_start = TimePoint())
      : engine_(std::in_place, EngineConfig{process_start}) {
    scope_.slow_start = block;
  }

  void list(const Weights& nodes, TimePoint now) {
    scope_.nodes.clear();
    for (const auto& [identity, weight] : nodes) scope_.nodes.push_back({identity, weight});
    tell(now);
  }
  void set_block(std::optional<SlowStart> block, TimePoint now) {
    scope_.slow_start = block;
    tell(now);
  }
  void down(const Identity& node, TimePoint now) {
    engine_->set_health(kId, node, Health::kDown, now);
    step(now);
  }
  void up(const Identity& node, TimePoint now) {
    engine_->set_health(kId, node, Health::kUp, now);
    step(now);
  }

  void set_admin(const Identity& node, Admin admin, TimePoint now) {
    engine_->set_admin(kId, node, admin, now);
    step(now);
  }
  // Tells the scope anew, with what the caller changed in it.
  template <typename Change>
  void edit(TimePoint now, Change change) {
    change(scope_);
    tell(now);
  }
  // Another process takes over at `now` what this one knew, or nothing.
  void restart(TimePoint now, bool with_state = true) {
    const EngineState state = engine_->state(now);
    engine_.emplace(EngineConfig{now});
    if (with_state) engine_->restore(state, now);
    tell(now);
  }

  // As of a step at `now`.
  NodeState node(const Identity& node, TimePoint now) {
    step(now);
    return engine_->snapshot()->scopes.at(kId).nodes.at(node);
  }
  std::string reason(const Identity& id, TimePoint now) {
    step(now);
    return why(engine_->snapshot()->scopes.at(kId), id);
  }
  uint32_t shown(const Identity& id, TimePoint now) { return node(id, now).shown; }
  Lifecycle lifecycle(const Identity& id, TimePoint now) { return node(id, now).lifecycle; }

  // "began b", in order, since the last call.
  std::vector<std::string> events() { return std::exchange(events_, {}); }

  Engine& engine() { return *engine_; }
  static constexpr const char* kId = "pool";

 private:
  void tell(TimePoint now) {
    engine_->set_desired({scope_}, now);
    step(now);
  }
  void step(TimePoint now) {
    for (const Event& event : engine_->step(now).events) {
      events_.push_back(std::string(name_of(event.kind)) + " " + event.identity);
    }
  }

  Scope scope_{.id = kId, .nodes = {}, .slow_start = {}};
  std::optional<Engine> engine_;
  std::vector<std::string> events_;
};

}  // namespace rampart::engine

#endif  // RAMPART_TESTS_UNIT_ENGINE_ONE_SCOPE_H_
