// SPDX-License-Identifier: Apache-2.0
#include "control/desired.h"

#include <gmock/gmock.h>
#include <netinet/in.h>

#include "control/tables.h"
#include "engine/engine.h"

namespace rampart::control {
namespace {

using std::chrono::seconds;

IpAddress ip(const std::string& text) {
  return *IpAddress::parse(text);
}

// One VIP over two nodes, the second without a port of its own.
Config some_config() {
  Config config;
  UpstreamConfig upstream;
  upstream.id = "orders";
  upstream.nodes = {{.address = ip("10.0.0.2"), .port = 8080, .weight = 30, .priority = 0},
                    {.address = ip("10.0.0.1"), .port = 0, .weight = 10, .priority = 0}};
  config.upstreams = {upstream};
  VipConfig vip;
  vip.id = "web";
  vip.scope = "orders";
  vip.address = ip("203.0.113.10");
  vip.port = 80;
  vip.protocol = IPPROTO_TCP;
  vip.table_size = 251;
  config.vips = {vip};
  return config;
}

DesiredVip plane_of(const Config& config) {
  engine::Engine engine({.process_start = TimePoint(seconds(1))});
  engine.set_desired(scopes_of(config), TimePoint(seconds(1)));
  return desired_plane(config, *engine.step(TimePoint(seconds(1))).snapshot).front();
}

TEST(Desired, SettingsAreThoseOfTheFile) {
  Config config = some_config();
  config.upstreams[0].algorithm = RP_CHASH;
  VipConfig& vip = config.vips[0];
  vip.hash_on = RP_HASH_SOURCE_IP;
  vip.on_no_backend = RP_NO_BACKEND_RESET;
  vip.timeouts = {
      .syn = seconds(1), .established = seconds(2), .closing = seconds(3), .udp = seconds(4)};
  vip.drain_timeout = seconds(5);
  const rp_vip_state settings = plane_of(config).settings;
  EXPECT_EQ(settings.live, 0u);
  EXPECT_EQ(settings.table_size, 251u);
  EXPECT_EQ(settings.algorithm, RP_CHASH);
  EXPECT_EQ(settings.hash_on, RP_HASH_SOURCE_IP);
  EXPECT_EQ(settings.on_no_backend, RP_NO_BACKEND_RESET);
  EXPECT_EQ(settings.timeout_syn, 1u);  // F7
  EXPECT_EQ(settings.timeout_established, 2u);
  EXPECT_EQ(settings.timeout_closing, 3u);
  EXPECT_EQ(settings.timeout_udp, 4u);
  EXPECT_EQ(settings.drain_timeout, 5u);
}

// X12
TEST(Desired, NatSendsToTheNodesPortOrElseTheVips) {
  const DesiredVip vip = plane_of(some_config());
  ASSERT_EQ(vip.backends.size(), 2u);
  EXPECT_EQ(vip.backends[0].key.port, 80);
  EXPECT_EQ(vip.backends[1].key.port, 8080);
}

// X12
TEST(Desired, InL2ThePortOfThePacketStays) {
  Config config = some_config();
  config.vips[0].forward = RP_FORWARD_L2;
  for (const DesiredBackend& backend : plane_of(config).backends) EXPECT_EQ(backend.key.port, 80);
}

// W5: equal remainders are broken by identity, so identities are in order.
TEST(Desired, BackendsAreAscendingByIdentity) {
  const DesiredVip vip = plane_of(some_config());
  EXPECT_EQ(vip.backends[0].identity, "10.0.0.1");
  EXPECT_EQ(vip.backends[1].identity, "10.0.0.2:8080");
}

// W7: the seed is bpf.hash_seed with the VIP's address, port and protocol.
TEST(Desired, TheSeedDependsOnTheFleetsSeedAndOnWhatClientsAddress) {
  const Config config = some_config();
  const DesiredVip vip = plane_of(config);
  Config renamed = config;
  renamed.vips[0].id = "other";
  EXPECT_EQ(plane_of(renamed).goal_seed, vip.goal_seed);
  Config seeded = config;
  seeded.bpf.hash_seed = 1;
  Config moved = config;
  moved.vips[0].address = ip("203.0.113.11");
  Config udp = config;
  udp.vips[0].protocol = IPPROTO_UDP;
  Config port = config;
  port.vips[0].port = 81;
  for (const Config& other : {seeded, moved, udp, port}) {
    EXPECT_NE(plane_of(other).goal_seed, vip.goal_seed);
    EXPECT_NE(plane_of(other).settings.hash_seed, vip.settings.hash_seed);
  }
}

// W7: balancers that see the same nodes agree, whatever they saw before.
TEST(Tables, AFreshTableIsTheGoalOfTheWeightsAsTheyAre) {
  const std::vector<BackendId> ids = {BackendId{1}, BackendId{2}};
  Config config = some_config();
  Tables used;
  used.next(plane_of(config), {}, ids, Refill::kNotNow);
  for (const uint32_t weight : {200u, 0u, 31u}) {
    config.upstreams[0].nodes[0].weight = weight;
    const DesiredVip vip = plane_of(config);
    Tables fresh;
    EXPECT_EQ(used.next(vip, {}, ids, Refill::kNotNow).slots,
              fresh.next(vip, {}, ids, Refill::kNotNow).slots);
  }
}

}  // namespace
}  // namespace rampart::control
