// SPDX-License-Identifier: Apache-2.0
#include "api/views.h"

#include <netinet/in.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/engine_view.h"
#include "api/flows_view.h"
#include "api/node_view.h"
#include "api/outcomes.h"
#include "base/version.h"
#include "rampart/abi.h"
#include "rampart/limits.h"

namespace rampart::api {
namespace {

using nlohmann::json;

const char* forward_name(rp_forward forward) {
  return forward == RP_FORWARD_NAT ? "nat" : "l2";
}
const char* protocol_name(uint8_t protocol) {
  return protocol == IPPROTO_UDP ? "udp" : "tcp";
}
const char* algorithm_name(rp_algorithm algorithm) {
  if (algorithm == RP_LEAST_CONN) return "least_conn";
  return algorithm == RP_CHASH ? "chash" : "roundrobin";
}

// Outcomes that happened, by name.
json outcomes_view(const maps::Doors& doors, uint32_t number) {
  json outcomes = json::object();
  const auto stats = maps::sum_vip_stats(doors, number);
  if (!stats) return outcomes;
  for (const OutcomeWords& one : kOutcomes) {
    if (stats->packets[one.code] > 0) outcomes[one.name] = stats->packets[one.code];
  }
  return outcomes;
}

json interface_view(const InterfaceReading& reading) {
  json view = {{"name", reading.attachment.interface},
               {"attached", reading.attached},
               {"in_file", reading.in_file},
               {"ifindex", reading.attachment.ifindex}};
  view["mode"] =
      reading.attached ? json(dataplane::name_of(reading.attachment.mode)) : json(nullptr);
  if (!reading.attachment.note.empty()) view["note"] = reading.attachment.note;
  return view;
}

json vip_view(const Service& service, const control::VipConfig& vip) {
  const control::Controller& controller = service.controller();
  const control::VipAddress address = control::address_of(vip);
  const control::UpstreamConfig& upstream = control::upstream_of(*controller.config(), vip);
  json view = {{"id", vip.id},
               {"address", vip.address.to_string()},
               {"port", vip.port},
               {"protocol", protocol_name(vip.protocol)},
               {"forward", forward_name(vip.forward)},
               {"type", algorithm_name(upstream.algorithm)},
               {"upstream", vip.scope},
               {"panic", controller.snapshot().scopes.at(vip.scope).panic},
               {"table_size", vip.table_size},
               {"slots_moved", controller.slots_moved(address).retarget},
               {"slots_refilled", controller.slots_moved(address).refill},
               {"backends", 0},
               {"serving", 0}};
  const auto number = controller.observed().number_of(address);
  if (!number) return view;
  view["number"] = raw(*number);
  view["outcomes"] = outcomes_view(service.doors(), raw(*number));
  const auto nodes = nodes_of(service, vip);
  view["backends"] = nodes.size();
  view["serving"] =
      std::count_if(nodes.begin(), nodes.end(), [](const json& node) { return node["slots"] > 0; });
  return view;
}

}  // namespace

json vips_view(const Service& service) {
  json vips = json::array();
  for (const control::VipConfig& vip : service.controller().config()->vips) {
    vips.push_back(vip_view(service, vip));
  }
  return vips;
}

json backends_view(const Service& service, const std::string& vip) {
  json backends = json::array();
  for (const control::VipConfig& one : service.controller().config()->vips) {
    if (!vip.empty() && one.id != vip) continue;
    for (json& node : nodes_of(service, one)) backends.push_back(std::move(node));
  }
  return backends;
}

json Service::nodes_named(const std::string& name) const {
  json nodes = json::array();
  for (json& node : backends_view(*this, "")) {
    if (node["name"] == name) nodes.push_back(std::move(node));
  }
  return nodes;
}

json upstreams_view(const Service& service) {
  json upstreams = json::array();
  for (const control::UpstreamConfig& upstream : service.controller().config()->upstreams) {
    json view = {{"id", upstream.id},
                 {"type", algorithm_name(upstream.algorithm)},
                 {"nodes", upstream.nodes.size()},
                 {"slow_start", nullptr}};
    if (upstream.slow_start) {
      view["slow_start"] = {{"slow_start_time_seconds", upstream.slow_start->window.count()},
                            {"min_weight_percent", upstream.slow_start->min_weight_percent},
                            {"interval", upstream.slow_start->interval.count()},
                            {"aggression", upstream.slow_start->aggression}};
    }
    upstreams.push_back(std::move(view));
  }
  return upstreams;
}

json status_view(const Service& service) {
  const ReloadReading& reload = service.last_reload();
  json interfaces = json::array();
  for (const InterfaceReading& one : service.interfaces())
    interfaces.push_back(interface_view(one));
  json vips = vips_view(service);
  const json backends = backends_view(service, "");
  return {{"instance", service.controller().config()->instance},
          {"version", kVersion},
          {"abi", RP_ABI_VERSION},
          {"bpf_object", service.program_tag()},
          {"started", rfc3339(service.started())},
          {"config_file", service.config_file()},
          {"epoch", service.controller().epoch()},
          {"interfaces", std::move(interfaces)},
          {"vips", std::move(vips)},
          {"ramps", ramps_view(backends)},
          {"held_back", held_back_view(backends)},
          {"flow_table", flow_table_view(service)},
          {"other_packets", outcomes_view(service.doors(), RP_NO_VIP)},
          {"repairs", service.repairs()},
          {"last_reload",
           {{"successful", reload.successful},
            {"at", rfc3339(reload.at)},
            {"refused", reload.refused},
            {"read_ms", static_cast<double>(reload.read.count()) / 1000},
            {"apply_ms", static_cast<double>(reload.applied.count()) / 1000},
            {"problems", reload.problems}}},
          {"warnings", warnings(service)}};
}

}  // namespace rampart::api
