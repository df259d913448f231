// SPDX-License-Identifier: Apache-2.0
#include "control/check_ports.h"

#include <utility>

namespace rampart::control {
namespace {

constexpr uint16_t kHttpPort = 80;
constexpr uint16_t kHttpsPort = 443;

}  // namespace

ScopePorts vip_ports(const std::vector<VipConfig>& vips) {
  ScopePorts ports;
  for (const VipConfig& vip : vips) ports[vip.scope].insert(vip.port);
  return ports;
}

uint16_t scheme_port(const UpstreamConfig& upstream) {
  return upstream.http.https ? kHttpsPort : kHttpPort;
}

ScopePorts ports_of_users(const Config& config, Plane plane) {
  const std::set<ScopeId> ids = scope_ids(config, plane);
  ScopePorts of_vips = vip_ports(config.vips);
  ScopePorts ports;
  for (const UpstreamConfig& upstream : config.upstreams) {
    if (!ids.contains(upstream.id)) continue;
    ports[upstream.id] = plane == Plane::kL7 ? std::set<uint16_t>{scheme_port(upstream)}
                                             : std::move(of_vips[upstream.id]);
  }
  return ports;
}

std::optional<uint16_t> check_port(const ActiveCheck& check, const NodeConfig& node,
                                   const std::set<uint16_t>& of_users) {
  if (check.port != 0) return check.port;
  if (node.port != 0) return node.port;
  if (of_users.size() != 1) return std::nullopt;
  return *of_users.begin();
}

}  // namespace rampart::control
