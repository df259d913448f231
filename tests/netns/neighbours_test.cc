// SPDX-License-Identifier: Apache-2.0
// Next hops from a kernel's own routes and neighbours (X2), in a network namespace for each case.
#include "dataplane/neighbours.h"

#include <gmock/gmock.h>
#include <net/if.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "rampart/limits.h"

namespace rampart::dataplane {
namespace {

using testing::HasSubstr;

IpAddress ip(const std::string& text) {
  return *IpAddress::parse(text);
}
void ip_command(const std::string& arguments) {
  ASSERT_EQ(std::system(("ip " + arguments).c_str()), 0) << arguments;
}
// The last byte of the MAC address that a hop names; -1 if unresolved.
int host_of(uint64_t hop) {
  uint8_t mac[6];
  memcpy(mac, &hop, sizeof mac);
  return hop >> RP_HOP_PORT_SHIFT == 0 ? -1 : mac[5];
}

class NeighboursTest : public testing::Test {
 protected:
  // The balancer's eth0 is 10.0.0.1/24, with a router at 10.0.0.254; nobody answers ARP.
  void SetUp() override {
    if (geteuid() != 0 || unshare(CLONE_NEWNET) != 0) GTEST_SKIP() << "needs root";
    ip_command("link add eth0 address 02:00:00:00:00:01 type veth peer name peer");
    ip_command("link set peer up arp off && ip link set eth0 up");
    ip_command("address add 10.0.0.1/24 dev eth0");
    ip_command("route add default via 10.0.0.254");
    const int memory = memfd_create("ports", 0);
    ASSERT_EQ(ftruncate(memory, RP_MAX_PORTS * sizeof(rp_port)), 0);
    auto ports = maps::MappedArray<rp_port>::map(Fd(memory), RP_MAX_PORTS);
    ASSERT_TRUE(ports);
    ports_ = std::make_unique<maps::MappedArray<rp_port>>(std::move(*ports));
    restart();
  }
  void restart() {
    auto opened = Neighbours::open(*ports_);
    ASSERT_TRUE(opened) << opened.error().text;
    neighbours_ = std::make_unique<Neighbours>(std::move(*opened));
  }
  // The kernel's entry for 10.0.0.HOST, whose MAC address ends in HOST.
  void neighbour(int host, const std::string& state) {
    ip_command("neigh replace 10.0.0." + std::to_string(host) + " dev eth0 nud " + state +
               " lladdr 02:00:00:00:00:" + (host == 254 ? "fe" : "0" + std::to_string(host)));
  }
  std::string state_in_kernel(const std::string& address) {
    FILE* pipe = popen(("ip neigh show " + address + " dev eth0").c_str(), "r");
    char line[256] = {};
    if (fgets(line, sizeof line, pipe) == nullptr) line[0] = 0;
    pclose(pipe);
    return line;
  }
  int towards(const std::string& address, rp_forward forward = RP_FORWARD_L2) {
    return host_of(neighbours_->towards(ip(address), forward));
  }
  void refresh(std::set<IpAddress> targets) {
    neighbours_->set_targets(std::move(targets));
    ASSERT_TRUE(neighbours_->refresh());
  }

  std::unique_ptr<maps::MappedArray<rp_port>> ports_;
  std::unique_ptr<Neighbours> neighbours_;
};

TEST_F(NeighboursTest, ANeighbourTheKernelWouldUseIsAHopOutOfItsPort) {  // X2
  for (const char* state : {"permanent", "reachable", "stale", "delay", "probe"}) {
    neighbour(2, state);
    restart();
    refresh({ip("10.0.0.2")});
    EXPECT_EQ(towards("10.0.0.2"), 2) << state;
    EXPECT_TRUE(neighbours_->all_resolved());
  }
  EXPECT_EQ(ports_->at(0).ifindex, if_nametoindex("eth0"));
  EXPECT_EQ(host_of(ports_->at(0).mac | 1ull << RP_HOP_PORT_SHIFT), 1);
}

TEST_F(NeighboursTest, AnUnresolvedNeighbourIsAskedFor) {  // X2
  refresh({ip("10.0.0.3")});
  EXPECT_EQ(towards("10.0.0.3"), -1);
  EXPECT_FALSE(neighbours_->all_resolved());
  EXPECT_THAT(state_in_kernel("10.0.0.3"), HasSubstr("INCOMPLETE"));
  neighbours_->resolve(ip("10.0.0.4"));
  EXPECT_THAT(state_in_kernel("10.0.0.4"), HasSubstr("INCOMPLETE"));
}

TEST_F(NeighboursTest, AStaleNeighbourIsConfirmed) {  // X2: XDP traffic does not refresh it
  neighbour(2, "stale");
  refresh({ip("10.0.0.2")});
  EXPECT_THAT(state_in_kernel("10.0.0.2"), testing::Not(HasSubstr("STALE")));
}

TEST_F(NeighboursTest, TheLastAddressStaysInUseUntilTheKernelSaysFailed) {  // X2
  neighbour(2, "reachable");
  refresh({ip("10.0.0.2")});
  ip_command("neigh del 10.0.0.2 dev eth0");  // and asked for again: INCOMPLETE
  refresh({ip("10.0.0.2")});
  refresh({ip("10.0.0.2")});
  EXPECT_EQ(towards("10.0.0.2"), 2);
  neighbour(2, "failed");
  refresh({ip("10.0.0.2")});
  EXPECT_EQ(towards("10.0.0.2"), -1);
  neighbour(2, "reachable");
  refresh({ip("10.0.0.2")});
  EXPECT_EQ(towards("10.0.0.2"), 2);
}

TEST_F(NeighboursTest, ARouterIsTheHopInNatAndNoneInL2) {  // X2
  neighbour(254, "reachable");
  refresh({ip("192.0.2.9")});
  EXPECT_EQ(towards("192.0.2.9", RP_FORWARD_NAT), 254);
  EXPECT_EQ(towards("192.0.2.9", RP_FORWARD_L2), -1);
  EXPECT_THAT(neighbours_->describe(ip("192.0.2.9"), RP_FORWARD_L2), HasSubstr("a router"));
}

TEST_F(NeighboursTest, AHopFollowsItsRoute) {  // X2
  neighbour(254, "reachable");
  neighbour(5, "reachable");
  refresh({ip("192.0.2.9")});
  ip_command("route add 192.0.2.0/24 via 10.0.0.5");
  refresh({ip("192.0.2.9")});
  EXPECT_EQ(towards("192.0.2.9", RP_FORWARD_NAT), 5);
  ip_command("route flush root 0.0.0.0/0 proto boot");
  refresh({ip("192.0.2.9")});
  EXPECT_EQ(towards("192.0.2.9", RP_FORWARD_NAT), -1);
  EXPECT_EQ(neighbours_->describe(ip("192.0.2.9"), RP_FORWARD_NAT), "no route");
}

TEST_F(NeighboursTest, AnOwnAddressIsNoBackend) {  // X2
  refresh({ip("10.0.0.1")});
  EXPECT_EQ(towards("10.0.0.1"), -1);
  EXPECT_THAT(neighbours_->describe(ip("10.0.0.1"), RP_FORWARD_L2), HasSubstr("this machine"));
}

TEST_F(NeighboursTest, APortKeepsItsIndexAndFollowsItsInterface) {  // X11
  ports_->at(0) = {.mac = 7, .ifindex = 4711, .zero = 0};           // left by a process; long gone
  ip_command("link add other type veth peer name other_peer");
  const uint32_t other = if_nametoindex("other");
  ports_->at(1) = {.mac = 0, .ifindex = other, .zero = 0};  // not in use now, yet words may name it
  neighbour(2, "reachable");
  refresh({ip("10.0.0.2")});
  EXPECT_EQ(ports_->at(0).ifindex, if_nametoindex("eth0"));
  EXPECT_EQ(ports_->at(1).ifindex, other);
  EXPECT_EQ(neighbours_->towards(ip("10.0.0.2"), RP_FORWARD_L2) >> RP_HOP_PORT_SHIFT, 1u);
  ip_command("link set eth0 address 02:00:00:00:00:99");
  refresh({ip("10.0.0.2")});
  EXPECT_EQ(host_of(ports_->at(0).mac | 1ull << RP_HOP_PORT_SHIFT), 0x99);
  ip_command("link del other");
  refresh({ip("10.0.0.2")});
  EXPECT_EQ(ports_->at(1).ifindex, 0u);
}

// X2: over a restart too the last MAC address stays in use until the kernel says FAILED.
TEST_F(NeighboursTest, AnAdoptedNextHopIsUsedUntilTheKernelSaysFailed) {
  neighbour(5, "permanent");
  neighbours_->set_targets({ip("10.0.0.5")});
  ASSERT_TRUE(neighbours_->refresh());
  const uint64_t known = neighbours_->towards(ip("10.0.0.5"), RP_FORWARD_L2);
  ASSERT_EQ(host_of(known), 5);
  ip_command("neigh del 10.0.0.5 dev eth0");
  restart();
  neighbours_->set_targets({ip("10.0.0.5")});
  neighbours_->adopt(ip("10.0.0.5"), known);
  ASSERT_TRUE(neighbours_->refresh());
  EXPECT_EQ(neighbours_->towards(ip("10.0.0.5"), RP_FORWARD_L2), known);
  neighbour(5, "failed");
  ASSERT_TRUE(neighbours_->refresh());
  EXPECT_EQ(neighbours_->towards(ip("10.0.0.5"), RP_FORWARD_L2), 0u);
}

}  // namespace
}  // namespace rampart::dataplane
