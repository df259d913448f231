// SPDX-License-Identifier: Apache-2.0
// Addresses of VIPs and nodes: what is one, and which of them this version serves.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_ADDRESS_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_ADDRESS_H_

#include <optional>
#include <string>

#include "base/ip.h"
#include "control/config_reader.h"

namespace rampart::control {

// All note what is wrong.

// IPv6 is a problem for as long as layer 4 has only IPv4, but its address is answered, for the rules
// about families.
std::optional<IpAddress> read_vip_address(const Field& field);
// Of either family: layer 7 has both. Layer 4's rules about it are among the relations.
std::optional<IpAddress> read_node_host(const Field& field);
// The host in a key "HOST:PORT"; `field` is where problems are noted.
std::optional<IpAddress> node_host(const Field& field, const std::string& text);

// Notes that layer 4 has no use for the IPv6 address that stands there; `use` says what would use it.
void refuse_ipv6(const Field& field, const IpAddress& address, const std::string& use = "");

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_ADDRESS_H_
