// SPDX-License-Identifier: Apache-2.0
#include "control/wire.h"

#include <arpa/inet.h>

#include <array>
#include <cstring>

namespace rampart::control {

std::string VipAddress::to_string() const {
  return host_and_port(address.to_string(), port) + (protocol == IPPROTO_UDP ? "/udp" : "/tcp");
}

VipAddress address_of(const VipConfig& vip) {
  return VipAddress{vip.address, vip.port, vip.protocol};
}

rp_addr to_wire(const IpAddress& address) {
  rp_addr wire = {};
  std::memcpy(&wire, address.bytes().data(), sizeof wire);
  return wire;
}

IpAddress from_wire(const rp_addr& address) {
  std::array<uint8_t, 16> bytes = {};
  std::memcpy(bytes.data(), &address, sizeof address);
  return IpAddress::from_bytes(bytes);
}

rp_vip_key to_wire(const VipAddress& vip) {
  return rp_vip_key{.address = to_wire(vip.address),
                    .port = htons(vip.port),
                    .protocol = vip.protocol,
                    .zero = 0};
}

VipAddress from_wire(const rp_vip_key& key) {
  return VipAddress{
      .address = from_wire(key.address), .port = ntohs(key.port), .protocol = key.protocol};
}

BackendKey key_of(const rp_backend& backend) {
  return BackendKey{.vip = {.address = from_wire(backend.vip_address),
                            .port = ntohs(backend.vip_port),
                            .protocol = backend.protocol},
                    .address = from_wire(backend.address),
                    .port = ntohs(backend.port),
                    .forward = static_cast<rp_forward>(backend.forward),
                    .identity_hash = backend.identity_hash};
}

}  // namespace rampart::control
