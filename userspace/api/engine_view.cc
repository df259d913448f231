// SPDX-License-Identifier: Apache-2.0
#include "api/engine_view.h"

#include <cmath>
#include <ctime>

#include "base/clock.h"
#include "engine/explain.h"

namespace rampart::api {
namespace {

using nlohmann::json;

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

json ramp_view(const engine::NodeState& state, const std::optional<engine::SlowStart>& slow_start) {
  if (!state.ramp_start || !slow_start) return nullptr;
  const double window = seconds(slow_start->window);
  const double left = seconds(state.ramp_left);
  return {{"start", rfc3339(wall_time_of(*state.ramp_start))},
          {"seconds_left", rounded(left)},
          {"percent", rounded(100 * (window - left) / window)}};
}

}  // namespace

double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

std::string rfc3339(std::chrono::system_clock::time_point at) {
  const std::time_t whole = std::chrono::system_clock::to_time_t(at);
  std::tm utc = {};
  gmtime_r(&whole, &utc);
  char text[sizeof "2000-01-01T00:00:00Z"] = {};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

json engine_view(const ScopeReading& scope, const Identity& identity,
                 const VerdictReading* verdict) {
  const engine::NodeState& state = scope.state.nodes.at(identity);
  const engine::Condition& condition = state.condition;
  const auto said_by = [](const std::string& by) { return by.empty() ? json(nullptr) : json(by); };
  return {
      {"name", scope.id + "/" + identity},
      {"identity", identity},
      {"lifecycle", engine::name_of(state.lifecycle)},
      {"state", engine::summary_of(state)},
      {"admin", engine::name_of(condition.admin)},
      {"admin_by", said_by(condition.admin_by)},
      {"health", engine::name_of(condition.health)},
      {"health_reason", verdict == nullptr ? json(nullptr) : json(verdict->reason)},
      {"health_since", verdict == nullptr ? json(nullptr) : json(rfc3339(verdict->at))},
      {"weight",
       {{"configured", state.configured},
        {"override", condition.override_weight ? json(*condition.override_weight) : json(nullptr)},
        {"override_by", said_by(condition.override_by)},
        {"shown", state.shown},
        {"effective", rounded(state.effective.to_double())}}},
      {"ramp", ramp_view(state, scope.slow_start)},
      {"reason", engine::why(scope.state, identity)}};
}

// Of nodes that are drained, in maintenance or down, or whose weight is an order: who ordered it, or what
// the checks said.
json held_back_view(const json& backends) {
  json held_back = json::array();
  for (const json& node : backends) {
    const json& weight = node["weight"];
    json why = nullptr;
    if (node["admin"] != "none") {
      why = node["admin_by"];
    } else if (node["health"] == "down") {
      why = node["health_reason"];
    } else if (!weight["override"].is_null()) {
      why = weight["override_by"];
    } else {
      continue;
    }
    held_back.push_back({{"backend", node["name"]},
                         {"vip", node["vip"]},
                         {"state", node["state"]},
                         {"effective", weight["effective"]},
                         {"since", node["admin"] == "none" ? node["health_since"] : json(nullptr)},
                         {"because", why}});
  }
  return held_back;
}

json ramps_view(const json& backends) {
  json ramps = json::array();
  for (const json& node : backends) {
    if (!node["ramp"].is_null()) {
      ramps.push_back({{"backend", node["name"]}, {"vip", node["vip"]}, {"ramp", node["ramp"]}});
    }
  }
  return ramps;
}

}  // namespace rampart::api
