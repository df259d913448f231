// SPDX-License-Identifier: Apache-2.0
#include "api/explain_view.h"

#include <netinet/in.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/outcomes.h"
#include "api/views.h"
#include "base/whole_number.h"
#include "dataplane/explainer.h"
#include "dataplane/flow_list.h"
#include "rampart/flows.h"
#include "rampart/members.h"

namespace rampart::api {
namespace {

using dataplane::Explanation;
using dataplane::KnownFlow;
using nlohmann::json;

// What a packet's choice is explained with.
struct Asked {
  const control::VipConfig& vip;
  const control::UpstreamConfig& upstream;
  size_t members;  // with an effective weight
  const Explanation& answer;
};

const char* hashed(const Asked& asked) {
  const bool source_ip =
      asked.upstream.algorithm == RP_CHASH && asked.vip.hash_on == RP_HASH_SOURCE_IP;
  return source_ip ? "the hash of the client's address" : "the hash of the 5-tuple";
}

std::string how_chosen(const Asked& asked) {
  const std::string slot =
      "slot " + std::to_string(asked.answer.slot) + " of " + std::to_string(asked.vip.table_size);
  if (asked.answer.why & RP_WHY_BY_HASH || asked.upstream.algorithm == RP_CHASH) {
    return slot + ", by " + hashed(asked);
  }
  if (asked.upstream.algorithm == RP_ROUNDROBIN) {
    return "roundrobin, " + slot + ", which is next for CPU " + std::to_string(asked.answer.cpu) +
           " (each CPU walks over the table on its own)";
  }
  const char* among = asked.members <= RP_LEAST_ALL ? "of all nodes" : "of eight nodes drawn";
  return std::string("least_conn, ") + among + " it has the fewest flows for its weight";
}

std::string why_over(const KnownFlow& flow) {
  switch (flow.backend) {
    case KnownFlow::Backend::kGone:
      return "its backend is gone";
    case KnownFlow::Backend::kLeft:
      return "its backend is down or in maintenance";
    case KnownFlow::Backend::kThere:
      break;
  }
  if (flow.state == RP_FLOW_CLOSING) return "it was closed";
  return "it was silent for " + std::to_string(flow.idle_seconds) + " s";
}

std::string why_kept(const KnownFlow& flow) {
  return std::string("its flow is known (") + dataplane::flow_state_name(flow.state) +
         ", last packet " + std::to_string(flow.idle_seconds) +
         " s ago), and a flow keeps its backend";
}

// Why it is no more than a packet: what keeps it from an entry.
std::string why_no_entry(const Asked& asked) {
  if (asked.answer.why & RP_WHY_LIMITED) {
    return "a new flow without an entry, as bpf.new_flow_limit_per_cpu is reached on CPU " +
           std::to_string(asked.answer.cpu);
  }
  if (asked.answer.why & RP_WHY_FULL) {
    return "a new flow without an entry, as no flow where it would lie gives way (bpf.max_flows)";
  }
  return "a new flow";
}

std::string reason_of(const Asked& asked) {
  const Explanation& answer = asked.answer;
  if (answer.why & RP_WHY_LIVE && answer.flow) return why_kept(*answer.flow);
  std::string text = why_no_entry(asked);
  if (answer.why & RP_WHY_DEAD && answer.flow) {
    text += " (it had one before, but " + why_over(*answer.flow) + ")";
  }
  if (answer.backend == 0) return text;
  text += ": " + how_chosen(asked);
  if (answer.why & RP_WHY_WALKED_ON) {
    text += "; nodes before it hold another flow of this client's address and port";
  }
  return text;
}

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
  const bool by_slot = asked.upstream.algorithm != RP_LEAST_CONN ||
                       asked.answer.why & (RP_WHY_BY_HASH | RP_WHY_WALKED_ON);
  if (asked.answer.backend != 0 && by_slot && !(asked.answer.why & RP_WHY_LIVE)) {
    view["slot"] = asked.answer.slot;
  }
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
