// SPDX-License-Identifier: Apache-2.0
// What the engine knows of a node, as both planes show it.
#ifndef RAMPART_USERSPACE_API_ENGINE_VIEW_H_
#define RAMPART_USERSPACE_API_ENGINE_VIEW_H_

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "api/steered.h"
#include "engine/scope.h"
#include "engine/snapshot.h"

namespace rampart::api {

// Thousandths are enough for people and keep the JSON short.
double rounded(double value);

// 2026-11-02T10:00:00Z
std::string rfc3339(std::chrono::system_clock::time_point at);

struct ScopeReading {
  const ScopeId& id;
  const engine::ScopeState& state;
  const std::optional<engine::SlowStart>& slow_start;
};

// name, identity, lifecycle, state, admin, health, weight, ramp, reason, and who said so. `verdict` may be
// null. REQUIRES: the scope has the node.
nlohmann::json engine_view(const ScopeReading& scope, const Identity& identity,
                           const VerdictReading* verdict);

// Of nodes (as in answers) that are drained, in maintenance or down, or whose weight is an order: who
// ordered it, or what the checks said.
nlohmann::json held_back_view(const nlohmann::json& nodes);
// Of nodes that ramp.
nlohmann::json ramps_view(const nlohmann::json& nodes);

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_ENGINE_VIEW_H_
