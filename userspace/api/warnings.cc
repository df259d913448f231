// SPDX-License-Identifier: Apache-2.0
// What an operator should know or mend: each condition that loses traffic without an error has a
// sentence here that says what to do.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/views.h"
#include "base/ids.h"
#include "maps/backend_state.h"

namespace rampart::api {
namespace {

using Lines = std::vector<std::string>;

bool has_nat(const Service& service) {
  const auto& vips = service.controller().config()->vips;
  return std::any_of(vips.begin(), vips.end(),
                     [](const auto& vip) { return vip.forward == RP_FORWARD_NAT; });
}

std::string name_of(const control::BackendKey& key) {
  return "backend " + host_and_port(key.address.to_string(), key.port) + " of " +
         key.vip.to_string();
}

// W3
void warn_of_empty_vips(const Service& service, Lines& lines) {
  for (const auto& [number, vip] : service.controller().observed().vips) {
    const bool serves = std::any_of(vip.table.begin(), vip.table.end(),
                                    [](const auto owner) { return owner != engine::kNobody; });
    if (!serves) lines.push_back("vip " + vip.address.to_string() + ": no backend to choose");
  }
}

// H6
void warn_of_panic(const Service& service, Lines& lines) {
  for (const auto& [scope, state] : service.controller().snapshot().scopes) {
    if (!state.panic) continue;
    lines.push_back("upstream " + scope +
                    ": panic: too few of its nodes are up, so health is ignored and all serve: "
                    "rampart explain --backend says what fails");
  }
}

// X2, and for nat the replies: they are rewritten only where the program sees them.
void warn_of_backends(const Service& service, Lines& lines) {
  std::set<std::string> known;  // those of the file that are detached have a line of their own
  std::map<std::string, size_t> unseen;
  for (const InterfaceReading& one : service.interfaces()) {
    if (one.attached || one.in_file) known.insert(one.attachment.interface);
  }
  for (const auto& [id, backend] : service.controller().observed().backends) {
    if (maps::state_of(backend) != RP_BACKEND_SERVING) continue;
    const control::BackendKey key = control::key_of(backend);
    if (backend.next_hop == 0) {
      lines.push_back(name_of(key) +
                      ": next hop: " + service.neighbours().describe(key.address, key.forward));
    }
    const std::string out = service.neighbours().interface_towards(key.address);
    if (key.forward == RP_FORWARD_NAT && !out.empty() && !known.contains(out)) ++unseen[out];
  }
  for (const auto& [out, backends] : unseen) {
    lines.push_back("interface " + out +
                    ": nothing is attached to it, and it leads to nat backends (" +
                    std::to_string(backends) + "): their replies are not rewritten: add " + out +
                    " to interfaces");
  }
}

// O4
std::string why_detached(const InterfaceReading& listed) {
  const std::string name = listed.attachment.interface;
  if (listed.detached_by_order) {
    return ": detached by order, though the file lists it: rampart attach " + name + " undoes it";
  }
  return ": not attached, though the file lists it";
}

void warn_of_interfaces(const Service& service, Lines& lines) {
  const bool nat = has_nat(service);
  for (const InterfaceReading& one : service.interfaces()) {
    const std::string name = "interface " + one.attachment.interface;
    if (one.in_file && !one.attached) lines.push_back(name + why_detached(one));
    if (!one.in_file) lines.push_back(name + ": attached, but not in the file");
    if (nat && one.attached && !dataplane::forwards_ipv4(one.attachment.interface)) {
      lines.push_back(name +
                      ": forward: nat needs IPv4 forwarding for replies: run 'sysctl -w "
                      "net.ipv4.ip_forward=1'");
    }
  }
}

// F8, F9
void warn_of_flow_table(const Service& service, Lines& lines) {
  const FlowTableReading flows = service.flow_table();
  if (flows.refused_lately > 0) {
    lines.push_back("flow table: full where " + std::to_string(flows.refused_lately) +
                    " packets looked for an entry since the last sweep: they went by hash, or were "
                    "dropped in nat: raise bpf.max_flows");
  }
  if (flows.limited_lately > 0) {
    lines.push_back("flow table: " + std::to_string(flows.limited_lately) +
                    " packets of new flows above bpf.new_flow_limit_per_cpu since the last sweep: "
                    "they went by hash, or were dropped in nat: raise it, unless this is a flood");
  }
}

}  // namespace

Lines warnings(const Service& service) {
  Lines lines;
  warn_of_empty_vips(service, lines);
  warn_of_panic(service, lines);
  warn_of_backends(service, lines);
  warn_of_interfaces(service, lines);
  warn_of_flow_table(service, lines);
  for (const std::string& problem : service.last_reload().problems) {
    lines.push_back("last reload refused: " + problem);
  }
  for (const std::string& key : service.last_reload().waiting) lines.push_back(key);
  return lines;
}

}  // namespace rampart::api
