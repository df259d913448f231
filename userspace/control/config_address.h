// SPDX-License-Identifier: Apache-2.0
// Addresses of VIPs and nodes: what is one, and which of them this version serves.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_ADDRESS_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_ADDRESS_H_

#include <optional>
#include <string>

#include "base/ip.h"
#include "control/config_reader.h"

namespace rampart::control {

// Both note what is wrong. IPv6 is a problem for as long as only IPv4 is supported, but its address
// is answered, for the rules about families.

std::optional<IpAddress> read_vip_address(const Field& field);
std::optional<IpAddress> read_node_host(const Field& field);
// The host in a key "HOST:PORT"; `field` is where problems are noted.
std::optional<IpAddress> node_host(const Field& field, const std::string& text);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_ADDRESS_H_
