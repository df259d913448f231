// SPDX-License-Identifier: Apache-2.0
#include "engine/explain.h"

#include "base/check.h"

namespace rampart::engine {
namespace {

// A fixed-point number, up to `digits` places rounded down, without trailing zeros.
std::string decimal(uint64_t whole, uint64_t fraction, size_t digits) {
  std::string places = std::to_string(fraction);
  places.insert(0, digits - places.size(), '0');
  places.erase(places.find_last_not_of('0') + 1);
  return std::to_string(whole) + (places.empty() ? "" : "." + places);
}

std::string text_of(Duration duration) {
  const auto milliseconds =
      static_cast<uint64_t>(std::chrono::floor<std::chrono::milliseconds>(duration).count());
  return decimal(milliseconds / 1000, milliseconds % 1000, 3) + " s";
}

std::string text_of(Weight weight) {
  const uint64_t fraction = weight.raw() % Weight::kOne;
  return decimal(weight.raw() / Weight::kOne, fraction * 100 / Weight::kOne, 2);
}

// Why it takes no new flow, if it does not.
std::string why_nothing(const NodeState& node) {
  if (node.condition.admin == Admin::kDrain) return "it is draining: no new flows";
  if (node.condition.admin == Admin::kMaintenance) return "it is in maintenance: no new flows";
  if (node.lifecycle == Lifecycle::kPending && node.effective == Weight()) {
    return sentence(node.cause);
  }
  if (node.target() == 0) {
    return node.condition.override_weight ? "an operator set its weight to 0: no new flows"
                                          : "its configured weight is 0: no new flows";
  }
  if (node.effective == Weight()) return "its checks say that it is down: no new flows";
  return "";
}

std::string why_something(const NodeState& node) {
  if (!node.ramp_start) return std::string("full weight: ") + sentence(node.cause);
  return text_of(node.ramp_elapsed) + " of " + text_of(node.ramp_elapsed + node.ramp_left) +
         " have passed since the ramp began: " + sentence(node.cause);
}

std::string summary(const ScopeState& scope, const Identity& identity) {
  const NodeState& node = scope.nodes.at(identity);
  return std::string(node.lifecycle == Lifecycle::kNone ? "no ramp" : name_of(node.lifecycle)) +
         ", weight " + text_of(node.effective) + " of " + std::to_string(node.target()) + ": " +
         why(scope, identity);
}

}  // namespace

std::string why(const ScopeState& scope, const Identity& identity) {
  const NodeState& node = scope.nodes.at(identity);
  std::string text = why_nothing(node);
  const bool serves = text.empty();
  if (serves && !node.eligible) text = "panic, so that health is ignored: ";
  if (serves && node.lifecycle == Lifecycle::kPending) {
    text += "the floor of a node that was never eligible";
  } else if (serves) {
    text += why_something(node);
  }
  if (serves && node.condition.override_weight) {
    text += "; an operator set its target weight to " + std::to_string(node.target());
  }
  if (scope.block_refused) text += "; its slow_start block is not valid and is ignored";
  return text;
}

void record_changes(Recorder& recorder, const ScopeId& id, const ScopeState& before,
                    const ScopeState& after, TimePoint now) {
  for (const auto& [identity, node] : before.nodes) {
    if (!after.nodes.contains(identity)) {
      recorder.decided({now, id, identity, "gone: it is not listed any more"});
    }
  }
  for (const auto& [identity, node] : after.nodes) {
    const auto former = before.nodes.find(identity);
    const bool same = former != before.nodes.end() && former->second == node;
    if (!same) recorder.decided({now, id, identity, summary(after, identity)});
  }
}

}  // namespace rampart::engine
