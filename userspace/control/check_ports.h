// SPDX-License-Identifier: Apache-2.0
// Which port of a node its active check goes to: that of the check, else that of the node, else that
// of what uses the node: the VIPs at layer 4, the scheme at layer 7.
#ifndef RAMPART_USERSPACE_CONTROL_CHECK_PORTS_H_
#define RAMPART_USERSPACE_CONTROL_CHECK_PORTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "control/config.h"
#include "control/planes.h"

namespace rampart::control {

// Of what uses a scope.
using ScopePorts = std::map<ScopeId, std::set<uint16_t>>;

ScopePorts vip_ports(const std::vector<VipConfig>& vips);

// Where requests go to a node without a port: 80 or 443, by the scheme.
uint16_t scheme_port(const UpstreamConfig& upstream);

// For each scope of the plane, and no other.
ScopePorts ports_of_users(const Config& config, Plane plane);

// Nothing where only what uses the node could tell, and there is none or they differ: a node has one
// verdict in a scope, so its check has one port. The parser refuses such a file.
std::optional<uint16_t> check_port(const ActiveCheck& check, const NodeConfig& node,
                                   const std::set<uint16_t>& of_users);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CHECK_PORTS_H_
