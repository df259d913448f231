// SPDX-License-Identifier: Apache-2.0
// The names of things as the control plane compares them, and their way to and from the map
// structs.
#ifndef RAMPART_USERSPACE_CONTROL_WIRE_H_
#define RAMPART_USERSPACE_CONTROL_WIRE_H_

#include <compare>
#include <cstdint>
#include <string>

#include "base/ip.h"
#include "control/config.h"
#include "rampart/keys.h"
#include "rampart/values.h"

namespace rampart::control {

// What clients address: the identity of a VIP. Ids of VIPs are labels (B1).
struct VipAddress {
  IpAddress address;
  uint16_t port = 0;
  uint8_t protocol = 0;

  auto operator<=>(const VipAddress&) const = default;
  std::string to_string() const;  // "203.0.113.10:80/tcp"
};

VipAddress address_of(const VipConfig& vip);

// What a backend id stands for (B1), with what gives it another id: an address that another
// identity took over (B4), and another way to reach it, so that the flows of the former go on as
// they began.
struct BackendKey {
  VipAddress vip;
  IpAddress address;
  uint16_t port = 0;
  rp_forward forward = RP_FORWARD_L2;
  uint64_t identity_hash = 0;

  auto operator<=>(const BackendKey&) const = default;
};

rp_addr to_wire(const IpAddress& address);
IpAddress from_wire(const rp_addr& address);
rp_vip_key to_wire(const VipAddress& vip);
VipAddress from_wire(const rp_vip_key& key);
BackendKey key_of(const rp_backend& backend);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_WIRE_H_
