// SPDX-License-Identifier: Apache-2.0
#include "api/node_view.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "api/engine_view.h"
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
  json node = common_view(service, reading, id, backend);
  const ScopeId& scope = reading.upstream.id;
  node.update(engine_view({scope, reading.scope, reading.upstream.slow_start}, identity,
                          service.verdict(scope, identity)));
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
