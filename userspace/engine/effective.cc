// SPDX-License-Identifier: Apache-2.0
#include "engine/effective.h"

#include <algorithm>
#include <string>

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

// "29.999 s": milliseconds, without trailing zeros.
std::string seconds_text(Duration duration) {
  const int64_t milliseconds = std::chrono::floor<std::chrono::milliseconds>(duration).count();
  std::string text = std::to_string(milliseconds / 1000);
  if (milliseconds % 1000 != 0) {
    text += "." + std::to_string(1000 + milliseconds % 1000).substr(1);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + " s";
}

std::string ramp_text(Duration elapsed, const SlowStart& block, Cause cause) {
  return seconds_text(elapsed) + " of " + seconds_text(block.window) +
         " have passed since the ramp began: " + sentence(cause);
}

std::string reason_for(const NodeState& state, const NodeHistory& history) {
  if (history.lifecycle == Lifecycle::kPending) return sentence(history.cause);
  if (!state.eligible) return "it is not eligible (down or in maintenance): no new flows";
  if (state.configured == 0) return "its configured weight is 0: no new flows";
  return std::string("full weight: ") + sentence(history.cause);
}

}  // namespace

NodeState node_state(const Node& node, const NodeHistory& history, bool eligible,
                     const std::optional<SlowStart>& block, TimePoint now) {
  NodeState state;
  state.configured = node.weight;
  state.priority = node.priority;
  state.lifecycle = history.lifecycle;
  state.eligible = eligible;
  state.reason = reason_for(state, history);
  Weight weight = Weight::whole(node.weight);
  if (block && history.lifecycle == Lifecycle::kRamping) {
    const Duration elapsed =
        std::max(evaluated_at(history, *block, now) - history.ramp_start, Duration(0));
    weight = ramped_weight(node.weight, *block, elapsed);
    state.ramp_start = history.ramp_start;
    state.ramp_left = block->window - elapsed;
    if (eligible && node.weight > 0) state.reason = ramp_text(elapsed, *block, history.cause);
  }
  if (eligible) state.effective = weight;
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
