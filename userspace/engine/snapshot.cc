// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot.h"

#include <algorithm>

#include "base/check.h"

namespace rampart::engine {

const char* name_of(Lifecycle lifecycle) {
  switch (lifecycle) {
    case Lifecycle::kNone:
      return "none";
    case Lifecycle::kPending:
      return "pending";
    case Lifecycle::kRamping:
      return "ramping";
    case Lifecycle::kMature:
      return "mature";
  }
  RP_CHECK(false);
}

const char* name_of(Cause cause) {
  switch (cause) {
    case Cause::kNoSlowStart:
      return "no_slow_start";
    case Cause::kBaseline:
      return "baseline";
    case Cause::kKnown:
      return "known";
    case Cause::kJoined:
      return "joined";
    case Cause::kFirstEligible:
      return "first_eligible";
    case Cause::kUnusableTooLong:
      return "unusable_too_long";
    case Cause::kRecovered:
      return "recovered";
    case Cause::kFinished:
      return "finished";
    case Cause::kNeverEligible:
      return "never_eligible";
    case Cause::kOperator:
      return "operator";
  }
  RP_CHECK(false);
}

const char* summary_of(const NodeState& node) {
  if (node.condition.admin == Admin::kMaintenance) return "maintenance";
  if (node.condition.admin == Admin::kDrain) return "draining";
  if (node.condition.health == Health::kDown) return "down";
  if (node.lifecycle == Lifecycle::kPending) return "pending";
  return node.lifecycle == Lifecycle::kRamping ? "ramping" : "mature";
}

std::optional<int> tier_in_use(const ScopeState& scope) {
  std::optional<int> tier;
  for (const auto& [identity, node] : scope.nodes) {
    if (node.effective > Weight()) tier = std::max(tier.value_or(node.priority), node.priority);
  }
  return tier;
}

}  // namespace rampart::engine
