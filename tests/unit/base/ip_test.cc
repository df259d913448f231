// SPDX-License-Identifier: Apache-2.0
#include "base/ip.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

namespace rampart {
namespace {

TEST(IpAddress, ReadsBothFamiliesAndWritesThemCanonically) {
  const auto text = [](const char* from) { return IpAddress::parse(from).value().to_string(); };
  EXPECT_EQ(text("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(text("2001:DB8:0:0::1"), "2001:db8::1");
  EXPECT_EQ(text("::ffff:192.0.2.1"), "192.0.2.1");
}

TEST(IpAddress, RefusesEverythingElse) {
  for (const char* text : {"", "192.0.2", "192.0.2.256", "192.0.2.1 ", "[::1]", "fe80::1%eth0",
                           "example.org", "192.0.2.01x", ":::"}) {
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  }
}

TEST(IpAddress, HoldsAnIpv4AddressAsAMappedOne) {
  const IpAddress address = IpAddress::from_v4(htonl(0xc0000201));
  EXPECT_TRUE(address.is_v4());
  EXPECT_EQ(address.v4(), htonl(0xc0000201));
  EXPECT_EQ(address, IpAddress::parse("192.0.2.1"));
  EXPECT_EQ(address.bytes()[10], 0xff);
  EXPECT_EQ(address.bytes()[12], 0xc0);
  EXPECT_FALSE(IpAddress::parse("2001:db8::1")->is_v4());
}

TEST(IpAddress, OrdersByBytes) {
  EXPECT_LT(IpAddress::parse("192.0.2.9"), IpAddress::parse("192.0.2.10"));
  EXPECT_EQ(IpAddress(), IpAddress::parse("::"));
}

TEST(HostAndPort, BracketsIpv6AndLeavesOutAPortOfZero) {  // S4.1
  EXPECT_EQ(host_and_port("192.0.2.1", 80), "192.0.2.1:80");
  EXPECT_EQ(host_and_port("2001:db8::1", 80), "[2001:db8::1]:80");
  EXPECT_EQ(host_and_port("192.0.2.1", 0), "192.0.2.1");
  EXPECT_EQ(host_and_port("2001:db8::1", 0), "[2001:db8::1]");
}

}  // namespace
}  // namespace rampart
