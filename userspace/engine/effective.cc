// SPDX-License-Identifier: Apache-2.0
#include "engine/effective.h"

#include <algorithm>

#include "engine/curve.h"

namespace rampart::engine {
namespace {

TimePoint bucket_start(Duration interval, TimePoint now) {
  return now - now.time_since_epoch() % interval;
}

bool has_ended(const NodeHistory& history, const SlowStart& block, TimePoint now) {
  return now - history.ramp_start >= block.window;
}

// S3.23. Never later than now: a clock that moved back behind the start yields the floor (S2.5).
TimePoint evaluated_at(const NodeHistory& history, const SlowStart& block, TimePoint now) {
  if (has_ended(history, block, now)) return history.ramp_start + block.window;
  return std::min(now, std::max(bucket_start(block.interval, now), history.last_transition));
}

// Target weight x ratio (S2), with the elapsed time that a ramping node has.
Weight ramped_by(const NodeState& state, const std::optional<SlowStart>& block) {
  if (block && state.lifecycle == Lifecycle::kRamping) {
    return ramped_weight(state.target(), *block, state.ramp_elapsed);
  }
  if (block && state.lifecycle == Lifecycle::kPending) return floor_weight(state.target(), *block);
  return Weight::whole(state.target());
}

}  // namespace

NodeState node_state(const Node& node, const NodeHistory& history, const Standing& standing,
                     const std::optional<SlowStart>& block, TimePoint now) {
  NodeState state;
  state.configured = node.weight;
  state.priority = node.priority;
  state.addresses = node.addresses;
  state.condition = standing.condition;
  state.lifecycle = history.lifecycle;
  state.cause = history.cause;
  state.since = history.last_transition;
  state.eligible = standing.eligible;
  if (block && history.lifecycle == Lifecycle::kRamping) {
    const Duration elapsed = evaluated_at(history, *block, now) - history.ramp_start;
    state.ramp_start = history.ramp_start;
    state.ramp_elapsed = std::max(elapsed, Duration(0));
    state.ramp_left = block->window - state.ramp_elapsed;
  }
  state.ramped = ramped_by(state, block);
  const bool panic_uses = standing.panic && is_candidate(standing.condition.admin, state.target());
  // Its mark moves along with time while panic uses it (S3.18): it is serving.
  if (!panic_uses) state.unusable_since = history.unusable_since;
  const bool draining = standing.condition.admin == Admin::kDrain;
  if ((standing.eligible || panic_uses) && !draining) state.effective = state.ramped;
  state.shown = shown_weight(state.effective);
  return state;
}

std::optional<TimePoint> next_refresh(const NodeHistory& history, const SlowStart& block,
                                      TimePoint now) {
  if (history.lifecycle != Lifecycle::kRamping || history.absent_since) return std::nullopt;
  if (has_ended(history, block, now)) return std::nullopt;
  return std::min(bucket_start(block.interval, now) + block.interval,
                  history.ramp_start + block.window);
}

}  // namespace rampart::engine
