// SPDX-License-Identifier: Apache-2.0
#include "control/check_ports.h"

namespace rampart::control {

VipPorts vip_ports(const std::vector<VipConfig>& vips) {
  VipPorts ports;
  for (const VipConfig& vip : vips) ports[vip.scope].insert(vip.port);
  return ports;
}

std::optional<uint16_t> check_port(const ActiveCheck& check, const NodeConfig& node,
                                   const std::set<uint16_t>& of_vips) {
  if (check.port != 0) return check.port;
  if (node.port != 0) return node.port;
  if (of_vips.size() != 1) return std::nullopt;
  return *of_vips.begin();
}

}  // namespace rampart::control
