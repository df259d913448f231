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
      : block_(block), engine_(EngineConfig{process_start}) {}

  void list(Weights nodes, TimePoint now) {
    nodes_ = std::move(nodes);
    tell(now);
  }
  void set_block(std::optional<SlowStart> block, TimePoint now) {
    block_ = block;
    tell(now);
  }
  void down(const Identity& node, TimePoint now) {
    engine_.set_eligible(kId, node, false, now);
    step(now);
  }
  void up(const Identity& node, TimePoint now) {
    engine_.set_eligible(kId, node, true, now);
    step(now);
  }

  // As of a step at `now`.
  NodeState node(const Identity& node, TimePoint now) {
    step(now);
    return engine_.snapshot()->scopes.at(kId).nodes.at(node);
  }
  uint32_t shown(const Identity& id, TimePoint now) { return node(id, now).shown; }
  Lifecycle lifecycle(const Identity& id, TimePoint now) { return node(id, now).lifecycle; }

  // "began b", in order, since the last call.
  std::vector<std::string> events() { return std::exchange(events_, {}); }

  Engine& engine() { return engine_; }
  static constexpr const char* kId = "pool";

 private:
  void tell(TimePoint now) {
    Scope scope = {kId, {}, block_};
    for (const auto& [identity, weight] : nodes_) scope.nodes.push_back({identity, weight});
    engine_.set_desired({scope}, now);
    step(now);
  }
  void step(TimePoint now) {
    for (const Event& event : engine_.step(now).events) {
      events_.push_back(std::string(name_of(event.kind)) + " " + event.identity);
    }
  }

  std::optional<SlowStart> block_;
  Weights nodes_;
  Engine engine_;
  std::vector<std::string> events_;
};

}  // namespace rampart::engine

#endif  // RAMPART_TESTS_UNIT_ENGINE_ONE_SCOPE_H_
