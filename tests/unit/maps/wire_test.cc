// SPDX-License-Identifier: Apache-2.0
// What the control plane says and what lies in the maps, byte by byte.
#include "control/wire.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <array>
#include <cstring>

namespace rampart::control {
namespace {

template <typename T>
std::array<unsigned char, sizeof(T)> bytes_of(const T& value) {
  std::array<unsigned char, sizeof(T)> bytes = {};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

TEST(Wire, AVipKeyIsTheMappedAddressThePortInNetworkOrderAndTheProtocol) {
  const VipAddress vip{*IpAddress::parse("203.0.113.10"), 8080, IPPROTO_UDP};
  const std::array<unsigned char, 20> expected = {0,    0,    0,   0, 0,   0,  0,    0,    0,  0,
                                                  0xff, 0xff, 203, 0, 113, 10, 0x1f, 0x90, 17, 0};
  EXPECT_EQ(bytes_of(to_wire(vip)), expected);
  EXPECT_EQ(from_wire(to_wire(vip)), vip);
}

TEST(Wire, AMappedAddressHasTheMarkThatProgramsLookFor) {
  const rp_addr address = to_wire(*IpAddress::parse("10.0.0.1"));
  EXPECT_EQ(address.word[2], RP_V4_MAPPED);
  EXPECT_EQ(address.word[3], htonl(0x0a000001));
}

TEST(Wire, ABackendsKeyIsReadBackFromItsValue) {
  const rp_vip_key vip = to_wire(VipAddress{*IpAddress::parse("203.0.113.10"), 80, IPPROTO_TCP});
  rp_backend backend = {};
  backend.vip_address = vip.address;
  backend.vip_port = vip.port;
  backend.protocol = vip.protocol;
  backend.address = to_wire(*IpAddress::parse("10.0.0.1"));
  backend.port = htons(8080);
  backend.forward = RP_FORWARD_NAT;
  backend.identity_hash = 7;
  const BackendKey key = key_of(backend);
  EXPECT_EQ(key.vip.to_string(), "203.0.113.10:80/tcp");
  EXPECT_EQ(key.address.to_string(), "10.0.0.1");
  EXPECT_EQ(key.port, 8080);
  EXPECT_EQ(key.forward, RP_FORWARD_NAT);
  EXPECT_EQ(key.identity_hash, 7u);
}

}  // namespace
}  // namespace rampart::control
