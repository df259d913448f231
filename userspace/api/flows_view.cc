// SPDX-License-Identifier: Apache-2.0
#include "api/flows_view.h"

#include <arpa/inet.h>

#include <map>
#include <nlohmann/json.hpp>

#include "api/views.h"
#include "control/wire.h"
#include "dataplane/flow_list.h"
#include "dataplane/flow_sweeper.h"

namespace rampart::api {
namespace {

using nlohmann::json;

struct Named {
  std::string backend;
  std::string vip;
};

// What is wanted, by the ids that flows name; nothing if there is no such VIP or backend.
std::optional<std::map<uint32_t, Named>> names_of(const Service& service,
                                                  const FlowsWanted& wanted) {
  bool is_known = wanted.vip.empty() && wanted.backend.empty();
  std::map<uint32_t, Named> names;
  for (const json& node : backends_view(service, wanted.vip)) {
    Named named = {node["name"], node["vip"]};
    if (!wanted.backend.empty() && named.backend != wanted.backend) continue;
    is_known = true;
    if (node["id"].is_number_unsigned()) names.emplace(node["id"], std::move(named));
  }
  return is_known ? std::optional(std::move(names)) : std::nullopt;
}

std::string end_of(const rp_addr& address, __be16 port) {
  return host_and_port(control::from_wire(address).to_string(), ntohs(port));
}

json flow_view(const Service& service, const dataplane::Flow& flow, const Named& named) {
  const rp_backend& backend = service.doors().backends.at(flow.backend);
  return {{"client", end_of(flow.origin.client, flow.origin.client_port)},
          {"vip", named.vip},
          {"vip_address", end_of(backend.vip_address, flow.origin.vip_port)},
          {"protocol", backend.protocol == IPPROTO_UDP ? "udp" : "tcp"},
          {"backend", named.backend},
          {"state", dataplane::flow_state_name(flow.state)},
          {"idle_seconds", flow.idle_seconds},
          {"revived", flow.revived}};
}

}  // namespace

std::optional<json> flows_view(const Service& service, const FlowsWanted& wanted) {
  const auto names = names_of(service, wanted);
  if (!names) return std::nullopt;
  const maps::Doors& doors = service.doors();
  const auto flows =
      dataplane::list_flows(doors.flows, doors.backends, dataplane::FlowSweeper::now(),
                            wanted.limit, [&](uint32_t id) { return names->contains(id); });
  json view = json::array();
  for (const dataplane::Flow& flow : flows) {
    view.push_back(flow_view(service, flow, names->at(flow.backend)));
  }
  return view;
}

json flow_table_view(const Service& service) {
  const FlowTableReading reading = service.flow_table();
  json view = {{"max_flows", service.controller().config()->bpf.max_flows},
               {"entries", reading.entries},
               {"count_drift", reading.drift}};
  if (const auto stats = maps::sum_flow_stats(service.doors()); stats) {
    view["evicted"] = stats->evicted;
    view["refused"] = stats->refused;
    view["limited"] = stats->limited;
    view["revived"] = stats->revived;
  }
  return view;
}

}  // namespace rampart::api
