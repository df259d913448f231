// SPDX-License-Identifier: Apache-2.0
#include "api/node_view.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/hash.h"
#include "control/desired.h"
#include "maps/joined.h"

namespace rampart::api {
namespace {

using control::Observed;
using nlohmann::json;

// Everything about a VIP that its nodes need.
struct VipReading {
  const control::VipConfig& vip;
  const control::UpstreamConfig& upstream;
  const engine::ScopeState& scope;
  std::map<BackendId, uint32_t> slots;  // owned by each id
};

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}
// Thousandths are enough for people and keep the JSON short.
double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

json ramp_view(const engine::NodeState& state, const control::UpstreamConfig& upstream) {
  if (!state.ramp_start || !upstream.slow_start) return nullptr;
  const double window = seconds(upstream.slow_start->window);
  const double left = seconds(state.ramp_left);
  return {{"start", rfc3339(wall_time_of(*state.ramp_start))},
          {"seconds_left", rounded(left)},
          {"percent", rounded(100 * (window - left) / window)}};
}

// What the maps say about one id.
json counters_view(const Service& service, BackendId id, const rp_backend& backend) {
  const auto stats = maps::sum_backend_stats(service.doors(), raw(id));
  const rp_backend_stats sum = stats.ok() ? *stats : rp_backend_stats{};
  const CountIndex index{backend.count_index};
  const uint64_t active = maps::active_flows(service.doors().flow_counts, index);
  return {{"flows", {{"active", active}, {"total", sum.flows}}},
          {"packets", sum.packets},
          {"bytes", sum.bytes}};
}

json common_view(const Service& service, const VipReading& reading, BackendId id,
                 const rp_backend& backend) {
  const control::BackendKey key = control::key_of(backend);
  const auto owned = reading.slots.find(id);
  const uint32_t slots = owned == reading.slots.end() ? 0 : owned->second;
  json node = counters_view(service, id, backend);
  node["plane"] = "l4";
  node["vip"] = reading.vip.id;
  node["id"] = raw(id);
  node["host"] = key.address.to_string();
  node["port"] = key.port;
  node["slots"] = slots;
  node["share"] = rounded(100.0 * slots / reading.vip.table_size);
  node["next_hop"] = service.neighbours().describe(key.address, key.forward);
  return node;
}

json configured_view(const Service& service, const VipReading& reading, const Identity& identity,
                     BackendId id, const rp_backend& backend) {
  const engine::NodeState& state = reading.scope.nodes.at(identity);
  json node = common_view(service, reading, id, backend);
  node["name"] = reading.upstream.id + "/" + identity;
  node["identity"] = identity;
  node["lifecycle"] = engine::name_of(state.lifecycle);
  node["state"] = engine::summary_of(state);
  node["admin"] = engine::name_of(state.condition.admin);
  node["health"] = engine::name_of(state.condition.health);
  node["weight"] = {
      {"configured", state.configured},
      {"override",
       state.condition.override_weight ? json(*state.condition.override_weight) : json(nullptr)},
      {"shown", state.shown},
      {"effective", rounded(state.effective.to_double())}};
  const auto said_by = [](const std::string& by) { return by.empty() ? json(nullptr) : json(by); };
  node["admin_by"] = said_by(state.condition.admin_by);
  node["weight"]["override_by"] = said_by(state.condition.override_by);
  const VerdictReading* verdict = service.verdict(reading.upstream.id, identity);
  node["health_reason"] = verdict == nullptr ? json(nullptr) : json(verdict->reason);
  node["health_since"] = verdict == nullptr ? json(nullptr) : json(rfc3339(verdict->at));
  node["ramp"] = ramp_view(state, reading.upstream);
  node["reason"] = engine::why(reading.scope, identity);
  return node;
}

// A node that left the configuration has no entry in the engine; what is known of it is in the
// maps.
json leaving_view(const Service& service, const VipReading& reading, BackendId id,
                  const rp_backend& backend) {
  json node = common_view(service, reading, id, backend);
  const std::string identity =
      host_and_port(node["host"].get<std::string>(), node["port"].get<uint16_t>());
  node["name"] = reading.upstream.id + "/" + identity;
  node["identity"] = identity;
  node["lifecycle"] = engine::name_of(engine::Lifecycle::kNone);
  node["state"] = "draining";
  node["admin"] = engine::name_of(engine::Admin::kNone);
  node["health"] = engine::name_of(engine::Health::kUnknown);
  node["weight"] = {{"configured", 0}, {"override", nullptr}, {"shown", 0}, {"effective", 0.0}};
  node["ramp"] = nullptr;
  const int64_t left = int64_t{backend.drain_until} - whole_seconds(boot_now());
  node["reason"] = "removed from the configuration; its flows stay until they end, for at most " +
                   std::to_string(std::max<int64_t>(left, 0)) + " s more";
  return node;
}

std::map<BackendId, uint32_t> slots_by_owner(const control::ObservedVip& vip) {
  std::map<BackendId, uint32_t> slots;
  std::vector<uint32_t> owned(UINT16_MAX + 1);
  for (const engine::Owner owner : vip.table) ++owned[owner];
  for (size_t id = 1; id < owned.size(); ++id) {
    if (owned[id] > 0) slots[static_cast<BackendId>(id)] = owned[id];
  }
  return slots;
}

}  // namespace

std::string rfc3339(std::chrono::system_clock::time_point at) {
  const std::time_t whole = std::chrono::system_clock::to_time_t(at);
  std::tm utc = {};
  gmtime_r(&whole, &utc);
  char text[sizeof "2000-01-01T00:00:00Z"] = {};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::vector<json> nodes_of(const Service& service, const control::VipConfig& vip) {
  const control::Controller& controller = service.controller();
  const Observed& observed = controller.observed();
  const auto number = observed.number_of(control::address_of(vip));
  if (!number) return {};
  const control::UpstreamConfig& upstream = control::upstream_of(*controller.config(), vip);
  const VipReading reading{.vip = vip,
                           .upstream = upstream,
                           .scope = controller.snapshot().scopes.at(vip.scope),
                           .slots = slots_by_owner(observed.vips.at(*number))};

  std::map<control::BackendKey, Identity> configured;
  for (const control::NodeConfig& node : upstream.nodes) {
    configured.emplace(control::backend_key(vip, node), node.identity());
  }
  std::vector<json> nodes;
  std::vector<json> leaving;
  for (const auto& [id, backend] : observed.backends) {
    if (backend.vip != raw(*number)) continue;
    const auto identity = configured.find(control::key_of(backend));
    if (identity != configured.end()) {
      nodes.push_back(configured_view(service, reading, identity->second, id, backend));
    } else {
      leaving.push_back(leaving_view(service, reading, id, backend));
    }
  }
  const auto by_name = [](const json& a, const json& b) { return a["name"] < b["name"]; };
  std::sort(nodes.begin(), nodes.end(), by_name);
  nodes.insert(nodes.end(), leaving.begin(), leaving.end());
  return nodes;
}

}  // namespace rampart::api
