// SPDX-License-Identifier: Apache-2.0
#include "control/desired.h"

#include <gmock/gmock.h>
#include <netinet/in.h>

#include <functional>
#include <string>
#include <vector>

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

// H2, H3, H6
TEST(Desired, AScopeHasTheHashOfItsCheckAndItsPanicPolicy) {
  Config config = some_config();
  EXPECT_EQ(scopes_of(config).front().check, std::nullopt);
  EXPECT_EQ(scopes_of(config).front().panic, engine::PanicPolicy());
  UpstreamConfig& upstream = config.upstreams[0];
  upstream.active_check = ActiveCheck{.type = CheckType::kTcp};
  upstream.panic = {.threshold_percent = 50, .fail_closed = true};
  EXPECT_EQ(scopes_of(config).front().check, hash_of(*upstream.active_check));
  EXPECT_EQ(scopes_of(config).front().panic, upstream.panic);
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

// As an engine sees it whose checks pass, and that was told more. It never panics (H6).
template <typename Tell>
DesiredVip plane_when(const Config& config, Tell tell) {
  const TimePoint now = TimePoint(seconds(1));
  engine::Engine engine({.process_start = now});
  engine::Desired scopes = scopes_of(config);
  scopes.front().check = 1;
  scopes.front().panic.fail_closed = true;
  engine.set_desired(scopes, now);
  for (const NodeConfig& node : config.upstreams[0].nodes) {
    engine.set_health("orders", node.identity(), engine::Health::kUp, now);
  }
  tell(engine, now);
  return desired_plane(config, *engine.step(now).snapshot).front();
}

// What keeps new flows from a node.
std::vector<std::function<void(engine::Engine&, const Identity&, TimePoint)>> ways_to_be_away() {
  return {[](engine::Engine& engine, const Identity& identity, TimePoint now) {
            engine.set_health("orders", identity, engine::Health::kDown, now);
          },
          [](engine::Engine& engine, const Identity& identity, TimePoint now) {
            engine.set_admin("orders", identity, engine::Admin::kDrain, now);
          },
          [](engine::Engine& engine, const Identity& identity, TimePoint now) {
            engine.set_admin("orders", identity, engine::Admin::kMaintenance, now);
          }};
}

engine::SlotTable fresh_table(const DesiredVip& vip) {
  const std::vector<BackendId> ids = {BackendId{1}, BackendId{2}};
  return Tables().next(vip, {}, ids, Refill::kNotNow).slots;
}

// S2, W1: what the goal is made of, and what a ramp ends at.
TEST(Desired, AnOperatorsOverrideIsTheTargetWeight) {
  const DesiredVip vip = plane_when(some_config(), [](engine::Engine& engine, TimePoint now) {
    engine.set_override("orders", "10.0.0.1", 7, now);
    engine.set_override("orders", "10.0.0.2:8080", 0, now);
  });
  EXPECT_EQ(vip.backends[0].target, 7u);
  EXPECT_EQ(vip.backends[0].effective, Weight::whole(7));
  EXPECT_EQ(vip.backends[1].target, 0u);
  EXPECT_EQ(vip.backends[1].effective, Weight());
}

// W1, W10: down, draining or in maintenance; its target weight is what it was.
TEST(Desired, ANodeThatIsAwayOwnsNoSlot) {
  for (const auto& go_away : ways_to_be_away()) {
    const DesiredVip vip = plane_when(some_config(), [&](engine::Engine& engine, TimePoint now) {
      go_away(engine, "10.0.0.2:8080", now);
    });
    EXPECT_EQ(vip.backends[1].effective, Weight());
    EXPECT_EQ(vip.backends[1].target, 30u);
    EXPECT_THAT(fresh_table(vip), testing::Each(1));
  }
}

// Which way's flows leave the node, by protocol and on_down.
std::vector<bool> moves_by_way(uint8_t protocol, OnDown on_down) {
  Config config = some_config();
  config.vips[0].protocol = protocol;
  config.vips[0].on_down = on_down;
  std::vector<bool> moves;
  for (const auto& go_away : ways_to_be_away()) {
    const DesiredVip vip = plane_when(config, [&](engine::Engine& engine, TimePoint now) {
      go_away(engine, "10.0.0.2:8080", now);
    });
    EXPECT_FALSE(vip.backends[0].flows_move);
    moves.push_back(vip.backends[1].flows_move);
  }
  return moves;
}

// F3: down, draining, in maintenance.
TEST(Desired, UdpFlowsLeaveANodeThatIsDownOrInMaintenanceAndTcpFlowsWhereAskedTo) {
  using testing::ElementsAre;
  for (const OnDown on_down : {OnDown::kStay, OnDown::kMove}) {
    EXPECT_THAT(moves_by_way(IPPROTO_UDP, on_down), ElementsAre(true, false, true));
  }
  EXPECT_THAT(moves_by_way(IPPROTO_TCP, OnDown::kStay), ElementsAre(false, false, false));
  EXPECT_THAT(moves_by_way(IPPROTO_TCP, OnDown::kMove), ElementsAre(true, false, true));
}

// F3, H6: what panic sends new flows to keeps the ones it has.
TEST(Desired, FlowsStayWithANodeThatPanicUses) {
  Config config = some_config();
  config.vips[0].protocol = IPPROTO_UDP;
  const TimePoint now = TimePoint(seconds(1));
  engine::Engine engine({.process_start = now});
  engine.set_desired(scopes_of(config), now);
  for (const char* identity : {"10.0.0.1", "10.0.0.2:8080"}) {
    engine.set_health("orders", identity, engine::Health::kDown, now);
  }
  engine.set_admin("orders", "10.0.0.1", engine::Admin::kMaintenance, now);
  const DesiredVip vip = desired_plane(config, *engine.step(now).snapshot).front();
  EXPECT_TRUE(vip.backends[0].flows_move);
  EXPECT_FALSE(vip.backends[1].flows_move);
}

// W3
TEST(Desired, WithEveryNodeAwayNoSlotHasAnOwner) {
  for (const auto& go_away : ways_to_be_away()) {
    const DesiredVip vip = plane_when(some_config(), [&](engine::Engine& engine, TimePoint now) {
      go_away(engine, "10.0.0.1", now);
      go_away(engine, "10.0.0.2:8080", now);
    });
    EXPECT_THAT(fresh_table(vip), testing::Each(engine::kNobody));
  }
}

// W4: a tier is in use for its effective weights, not for its target weights.
TEST(Desired, ATierWhoseNodesAreAllAwayIsNotUsed) {
  Config config = some_config();
  config.upstreams[0].nodes[0].priority = 1;
  EXPECT_THAT(fresh_table(plane_of(config)), testing::Each(2));
  for (const auto& go_away : ways_to_be_away()) {
    const DesiredVip vip = plane_when(config, [&](engine::Engine& engine, TimePoint now) {
      go_away(engine, "10.0.0.2:8080", now);
    });
    EXPECT_EQ(vip.backends[0].effective, Weight::whole(10));
    EXPECT_THAT(fresh_table(vip), testing::Each(1));
  }
}

}  // namespace
}  // namespace rampart::control
