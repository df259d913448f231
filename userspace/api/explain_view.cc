// SPDX-License-Identifier: Apache-2.0
#include "api/explain_view.h"

#include <netinet/in.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/explain_words.h"
#include "api/outcomes.h"
#include "api/views.h"
#include "base/whole_number.h"
#include "dataplane/flow_list.h"
#include "rampart/explanation.h"

namespace rampart::api {
namespace {

using nlohmann::json;

json name_of_backend(const Service& service, const std::string& vip, uint32_t id) {
  for (const json& node : backends_view(service, vip)) {
    if (node["id"] == id) return node["name"];
  }
  return nullptr;
}

// The interface that the client's packets come in by: the one that leads back to it, or any if that is
// not attached. Without one there are no packets.
Result<InterfaceReading> interface_of(Service& service, const IpAddress& client) {
  const uint32_t back = service.ifindex_towards(client);
  std::optional<InterfaceReading> found;
  for (InterfaceReading& one : service.interfaces()) {
    if (!one.attached) continue;
    if (!found || one.attachment.ifindex == back) found = std::move(one);
  }
  if (found) return std::move(*found);
  return Error{Code::kFailed,
               "no interface is attached, so no packet comes in: see rampart attach"};
}

json answer_view(const Asked& asked) {
  const auto words = std::find_if(std::begin(kOutcomes), std::end(kOutcomes), [&](const auto& one) {
    return one.code == asked.answer.outcome;
  });
  json view = {{"outcome", nullptr}, {"slot", nullptr}, {"flow", nullptr}};
  if (words != std::end(kOutcomes)) {
    view["outcome"] = words->name;
    view["verdict"] = words->verdict;
    view["meaning"] = words->text;
  }
  if (asked.answer.flow) {
    view["flow"] = {{"state", dataplane::flow_state_name(asked.answer.flow->state)},
                    {"idle_seconds", asked.answer.flow->idle_seconds}};
  }
  if (taken_from_slot(asked)) view["slot"] = asked.answer.slot;
  view["cpu"] = asked.answer.cpu;
  view["reason"] = reason_of(asked);
  return view;
}

}  // namespace

std::optional<ClientEnd> parse_client(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto address = IpAddress::parse(host);
  const auto port = whole_number<uint16_t>(text.substr(colon + 1));
  if (!address || bracketed == address->is_v4() || port.value_or(0) == 0) return std::nullopt;
  return ClientEnd{*address, *port};
}

Result<json> explain_packet(Service& service, const control::VipConfig& vip,
                            const ClientEnd& client) {
  const auto interface = interface_of(service, client.address);
  if (!interface) return interface.error();
  const auto answer = service.explain({.client = client.address,
                                       .client_port = client.port,
                                       .vip = vip.address,
                                       .vip_port = vip.port,
                                       .protocol = vip.protocol,
                                       .ifindex = interface->attachment.ifindex});
  if (!answer) return answer.error();
  const control::UpstreamConfig& upstream =
      control::upstream_of(*service.controller().config(), vip);
  const auto& nodes = service.controller().snapshot().scopes.at(vip.scope).nodes;
  const auto members = std::count_if(nodes.begin(), nodes.end(), [](const auto& node) {
    return node.second.effective != Weight();
  });
  json view = answer_view({vip, upstream, static_cast<size_t>(members), *answer});
  view["vip"] = vip.id;
  view["vip_address"] = host_and_port(vip.address.to_string(), vip.port);
  view["protocol"] = vip.protocol == IPPROTO_UDP ? "udp" : "tcp";
  view["client"] = host_and_port(client.address.to_string(), client.port);
  view["interface"] = interface->attachment.interface;
  view["backend"] =
      answer->backend == 0 ? json(nullptr) : name_of_backend(service, vip.id, answer->backend);
  return view;
}

}  // namespace rampart::api
