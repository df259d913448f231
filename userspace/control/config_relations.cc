// SPDX-License-Identifier: Apache-2.0
#include "control/config_relations.h"

#include <netinet/in.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "control/check_ports.h"
#include "control/config_address.h"
#include "rampart/limits.h"

namespace rampart::control {
namespace {

using UpstreamsById = std::unordered_map<ScopeId, const ReadUpstream*>;

UpstreamsById by_id(const std::vector<ReadUpstream>& upstreams) {
  UpstreamsById index;
  for (const ReadUpstream& upstream : upstreams) index.emplace(upstream.config.id, &upstream);
  return index;
}

// Null if there is none, which is a problem of its own.
const ReadUpstream* upstream_of(const ReadVip& vip, const UpstreamsById& upstreams) {
  if (vip.embedded) return &*vip.embedded;
  const auto found = upstreams.find(vip.config.scope);
  return found == upstreams.end() ? nullptr : found->second;
}

void check_references(const ReadParts& parts, const UpstreamsById& upstreams) {
  const auto check = [&upstreams](const std::string& id, const Field& field) {
    if (id.empty() || upstreams.contains(id)) return;
    field.problem("found " + quoted(id) +
                  ", which names no upstream; allowed: the id of an upstream");
  };
  for (const ReadVip& vip : parts.vips) {
    if (!vip.embedded) check(vip.config.scope, vip.upstream_id);
  }
  for (const Reference& use : parts.routes.named) check(use.id, use.field);
}

// S3: ids of scopes are unique over upstreams, and the VIPs, services and routes that embed one.
class Ids {
 public:
  explicit Ids(std::string kind) : kind_(std::move(kind)) {}

  void add(const std::string& id, const Field& field) {
    if (id.empty()) return;
    const auto [first, fresh] = seen_.emplace(id, field.path());
    if (fresh) return;
    field.problem("found the id " + quoted(id) + " again; allowed: once among " + kind_ +
                  " (it is " + first->second + ")");
  }

 private:
  std::string kind_;
  std::map<std::string, std::string> seen_;
};

void check_ids(const ReadParts& parts) {
  Ids vips("VIPs");
  Ids scopes("upstreams and what embeds one");
  for (const ReadUpstream& upstream : parts.upstreams) scopes.add(upstream.config.id, upstream.id);
  for (const ReadVip& vip : parts.vips) {
    vips.add(vip.config.id, vip.id);
    if (vip.embedded) scopes.add(vip.config.id, vip.id);
  }
  for (const Reference& scope : parts.routes.scopes) scopes.add(scope.id, scope.field);
}

std::string service_text(const VipConfig& vip) {
  return host_and_port(vip.address.to_string(), vip.port) +
         (vip.protocol == IPPROTO_TCP ? " tcp" : " udp");
}

void check_unique_vips(const std::vector<ReadVip>& vips) {
  std::map<std::tuple<IpAddress, uint16_t, uint8_t>, std::string> seen;
  for (const ReadVip& vip : vips) {
    const VipConfig& conf = vip.config;
    if (conf.port == 0 || conf.address == IpAddress()) continue;
    const auto [first, fresh] =
        seen.emplace(std::tuple(conf.address, conf.port, conf.protocol), vip.field.path());
    if (fresh) continue;
    vip.field.problem("found the VIP " + service_text(conf) + " again; allowed: once (it is " +
                      first->second + ")");
  }
}

// X8: an unknown port belongs to no VIP of its address, so they must be of one mind.
void check_unknown_ports(const std::vector<ReadVip>& vips) {
  std::map<IpAddress, const ReadVip*> seen;
  for (const ReadVip& vip : vips) {
    if (vip.config.address == IpAddress()) continue;
    const auto [first, fresh] = seen.emplace(vip.config.address, &vip);
    if (fresh || first->second->on_unknown_port == vip.on_unknown_port) continue;
    const Field& field = vip.unknown_port.present() ? vip.unknown_port : vip.field;
    field.problem("on_unknown_port is not that of " + first->second->field.path() +
                  ", which has the same address; allowed: one value for an address");
  }
}

// W4. Nodes of weight 0 count as well: an operator's override gives one a weight without a reload.
void check_slots(const ReadVip& vip, const ReadUpstream& upstream) {
  const size_t nodes = upstream.config.nodes.size();
  if (nodes <= vip.config.table_size) return;
  const Field& field = vip.table_size.present() ? vip.table_size : vip.field;
  field.problem("table_size is " + std::to_string(vip.config.table_size) + " and " +
                upstream.field.path() + " has " + std::to_string(nodes) +
                " nodes; allowed: at least a slot for each");
}

void check_node_fits(const ReadVip& vip, const ReadNode& node) {
  const VipConfig& conf = vip.config;
  const std::string of_vip = " of the VIP " + quoted(conf.id);
  if (node.has_address && node.config.address.is_v4() != conf.address.is_v4()) {
    node.field.problem("found an address of another family than that" + of_vip +
                       "; allowed with this forward: the same family");
  }
  const bool other_port = node.config.port != 0 && node.config.port != conf.port;
  if (conf.forward != RP_FORWARD_L2 || !other_port) return;
  node.port.problem("found the port " + std::to_string(node.config.port) + ", but forward: l2" +
                    of_vip + " leaves ports as they are; allowed: " + std::to_string(conf.port) +
                    ", or none");
}

// A node without a port has the VIP's, and may then be another node of the list: one backend (B1)
// with two lifecycles.
void check_distinct_backends(const ReadVip& vip, const ReadUpstream& upstream) {
  std::unordered_map<Identity, const ReadNode*> with_port;
  for (const ReadNode& node : upstream.nodes) {
    if (node.has_address && node.config.port != 0) with_port.emplace(node.config.identity(), &node);
  }
  for (const ReadNode& node : upstream.nodes) {
    if (!node.has_address || node.config.port != 0) continue;
    const Identity same = host_and_port(node.config.address.to_string(), vip.config.port);
    const auto found = with_port.find(same);
    if (found == with_port.end()) continue;
    node.field.problem("found a node that is " + same + " on the VIP " + quoted(vip.config.id) +
                       ", as is " + found->second->field.path() + "; allowed: once");
  }
}

// What only layer 7 uses may have them.
void refuse_ipv6_nodes(const ReadVip& vip, const ReadUpstream& upstream) {
  for (const ReadNode& node : upstream.nodes) {
    if (!node.has_address || node.config.address.is_v4()) continue;
    refuse_ipv6(node.host, node.config.address, " behind the VIP " + quoted(vip.config.id));
  }
}

// Nodes are looked at once per VIP that uses them. Beyond this many pairs, far above what
// max_backends can allow, that would take minutes and the capacity problem says all.
constexpr size_t kMostPairs = size_t{1} << 20;

void check_nodes(const ReadParts& parts, const UpstreamsById& upstreams) {
  size_t pairs = 0;
  std::set<const ReadUpstream*> of_vips;
  for (const ReadVip& vip : parts.vips) {
    const ReadUpstream* upstream = upstream_of(vip, upstreams);
    if (upstream == nullptr) continue;
    pairs += upstream->nodes.size();
    if (pairs > kMostPairs) return;
    if (of_vips.insert(upstream).second) refuse_ipv6_nodes(vip, *upstream);
    check_slots(vip, *upstream);
    if (!vip.is_served) continue;
    for (const ReadNode& node : upstream->nodes) check_node_fits(vip, node);
    check_distinct_backends(vip, *upstream);
  }
}

// H2: a node has one verdict in a scope, so its check goes to one port. At layer 7 the scheme gives one.
void check_ports_of(const ReadUpstream& upstream, const std::set<uint16_t>& of_vips) {
  if (!upstream.config.active_check || of_vips.contains(0)) return;  // 0: a VIP whose port is wrong
  for (const ReadNode& node : upstream.nodes) {
    if (check_port(*upstream.config.active_check, node.config, of_vips)) continue;
    const std::string why = of_vips.empty() ? "no VIP and no route uses " + upstream.field.path()
                                            : "VIPs of several ports use " + upstream.field.path();
    node.field.problem(
        "found no port, and " + why +
        ", so its checks have nowhere to go; allowed: a port, or checks.active.port");
  }
}

void check_targets(const ReadParts& parts) {
  std::vector<VipConfig> vips;
  for (const ReadVip& vip : parts.vips) vips.push_back(vip.config);
  ScopePorts ports = vip_ports(vips);
  const std::set<ScopeId> of_routes = scopes_of_routes(parts.routes.routes);
  const auto check = [&](const ReadUpstream& upstream) {
    const std::set<uint16_t>& of_vips = ports[upstream.config.id];
    if (of_vips.empty() && of_routes.contains(upstream.config.id)) return;
    check_ports_of(upstream, of_vips);
  };
  for (const ReadUpstream& upstream : parts.upstreams) check(upstream);
  for (const ReadUpstream& upstream : parts.routes.upstreams) check(upstream);
  for (const ReadVip& vip : parts.vips) {
    if (vip.embedded) check(*vip.embedded);
  }
}

// O8. A node counts once for every VIP that uses it (B1).
void check_capacity(const ReadParts& parts, const UpstreamsById& upstreams, const BpfConfig& bpf,
                    const Field& vips_field) {
  if (parts.vips.size() > bpf.max_vips) {
    vips_field.problem("found " + std::to_string(parts.vips.size()) +
                       " VIPs; allowed: " + std::to_string(bpf.max_vips) +
                       " (raise bpf.max_vips, at most " + std::to_string(RP_MAX_VIPS) + ")");
  }
  size_t backends = 0;
  for (const ReadVip& vip : parts.vips) {
    const ReadUpstream* upstream = upstream_of(vip, upstreams);
    if (upstream != nullptr) backends += upstream->nodes.size();
  }
  if (backends <= bpf.max_backends) return;
  vips_field.problem("found " + std::to_string(backends) +
                     " backends, counting each node once for every VIP that uses it; allowed: " +
                     std::to_string(bpf.max_backends) + " (raise bpf.max_backends, at most " +
                     std::to_string(RP_MAX_BACKENDS) + ")");
}

}  // namespace

void check_relations(const ReadParts& parts, const BpfConfig& bpf, const Field& vips_field) {
  const UpstreamsById upstreams = by_id(parts.upstreams);
  check_ids(parts);
  check_references(parts, upstreams);
  check_unique_vips(parts.vips);
  check_unknown_ports(parts.vips);
  check_nodes(parts, upstreams);
  check_targets(parts);
  check_capacity(parts, upstreams, bpf, vips_field);
}

}  // namespace rampart::control
