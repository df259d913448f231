// SPDX-License-Identifier: Apache-2.0
// Which port of a node its active check goes to: that of the check, else that of the node, else that
// of the VIPs which use the node.
#ifndef RAMPART_USERSPACE_CONTROL_CHECK_PORTS_H_
#define RAMPART_USERSPACE_CONTROL_CHECK_PORTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "control/config.h"

namespace rampart::control {

// Of the VIPs that use a scope.
using VipPorts = std::map<ScopeId, std::set<uint16_t>>;

VipPorts vip_ports(const std::vector<VipConfig>& vips);

// Nothing where only VIPs could tell, and there is none or they differ: a node has one verdict in a
// scope, so its check has one port. The parser refuses such a file.
std::optional<uint16_t> check_port(const ActiveCheck& check, const NodeConfig& node,
                                   const std::set<uint16_t>& of_vips);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CHECK_PORTS_H_
