// SPDX-License-Identifier: Apache-2.0
// What the control loop writes, frees and keeps.
#include <algorithm>
#include <set>

#include "control/apply.h"
#include "control/desired.h"
#include "control/plan.h"
#include "maps/backend_state.h"
#include "unit/control/controller_fixture.h"

namespace rampart::control {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(ControllerTest, AnnouncesAVipOnlyOnceItCanBeServed) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  EXPECT_THAT(kernel_.log, ElementsAre("nat backends 2", "write backend 1", "write backend 2",
                                       "create table of vip 1", "write vip 1", "announce vip 1"));
  EXPECT_THAT(slots_by_address(),
              ElementsAre(std::pair("10.0.0.1", 126u), std::pair("10.0.0.2", 125u)));
}

TEST_F(ControllerTest, WritesNothingWhenNothingChanged) {
  const Config config = config_of({node("10.0.0.1"), node("10.0.0.2")});
  accept(config);
  settle();
  kernel_.log.clear();
  accept(config);
  converge(1001);
  EXPECT_THAT(kernel_.log, IsEmpty());
}

// O1, W8, B1
TEST_F(ControllerTest, ARestartAdoptsTheMapsAndMovesNothing) {
  const Config config = config_of({node("10.0.0.1"), node("10.0.0.2", 50), node("10.0.0.3", 7)});
  accept(config);
  const auto slots = slots_by_address();
  const BackendId id = id_of("10.0.0.2");
  settle();
  kernel_.log.clear();
  restart();
  accept(config);
  EXPECT_THAT(kernel_.log, ElementsAre("nat backends 3"));
  EXPECT_EQ(slots_by_address(), slots);
  EXPECT_EQ(id_of("10.0.0.2"), id);
}

// B1: names are labels.
TEST_F(ControllerTest, RenamingVipAndUpstreamMovesNoSlotAndNoId) {
  Config config = config_of({node("10.0.0.1"), node("10.0.0.2")});
  accept(config);
  settle();
  kernel_.log.clear();
  config.upstreams[0].id = "renamed";
  config.vips[0].id = "also-renamed";
  config.vips[0].scope = "renamed";
  accept(config);
  EXPECT_THAT(kernel_.log, ElementsAre("rescope backend 1", "rescope backend 2"));
}

// S3.21: without a state file the identities found in the pinned maps are the snapshot.
TEST_F(ControllerTest, AfterARestartPinnedNodesAreMatureAndANewOneRamps) {
  Config config = config_of({node("10.0.0.1"), node("10.0.0.2")});
  config.upstreams[0].slow_start =
      engine::SlowStart{.window = seconds(100), .min_weight_percent = 1};
  accept(config);
  settle();
  restart();
  config.upstreams[0].nodes.push_back(node("10.0.0.3"));
  accept(config, 2000);
  const auto& nodes = controller_->snapshot().scopes.at("orders").nodes;
  EXPECT_EQ(nodes.at("10.0.0.1:8080").lifecycle, engine::Lifecycle::kMature);
  EXPECT_EQ(nodes.at("10.0.0.2:8080").lifecycle, engine::Lifecycle::kMature);
  EXPECT_EQ(nodes.at("10.0.0.3:8080").lifecycle, engine::Lifecycle::kRamping);
}

// S3.20: also when all that was pinned has left meanwhile, what comes is new.
TEST_F(ControllerTest, AfterARestartANodeThatReplacedAllPinnedOnesIsNoBaseline) {
  Config config = config_of({node("10.0.0.1")});
  config.upstreams[0].slow_start =
      engine::SlowStart{.window = seconds(100), .min_weight_percent = 1};
  accept(config);
  settle();
  restart();
  config.upstreams[0].nodes = {node("10.0.0.9")};
  accept(config, 2000);
  EXPECT_EQ(controller_->snapshot().scopes.at("orders").nodes.at("10.0.0.9:8080").lifecycle,
            engine::Lifecycle::kRamping);
}

// A scope of a state file that lists `nodes`, all mature.
engine::ScopeRecord saved_scope(const ScopeId& id, const std::vector<NodeConfig>& nodes) {
  engine::ScopeRecord scope = {.id = id, .had_block = true, .filled_at = {}, .nodes = {}};
  for (const NodeConfig& one : nodes) {
    scope.nodes[one.identity()] = {
        .listed = true,
        .discovered = false,
        .history = {.lifecycle = engine::Lifecycle::kMature, .cause = engine::Cause::kBaseline},
        .condition = {}};
  }
  return scope;
}

// S3.21: the maps hold 1 and 2, the state lists 1 and a ramp of 3. 2 is new, though it is pinned.
TEST_F(ControllerTest, AfterARestartWhatIsRestoredOfAScopeGoesBeforeThePinnedMaps) {
  const engine::SlowStart block{.window = seconds(100), .min_weight_percent = 1};
  Config config = config_of({node("10.0.0.1"), node("10.0.0.2")});
  config.upstreams[0].slow_start = block;
  accept(config);
  settle();
  restart();
  engine::ScopeRecord orders = saved_scope("orders", {node("10.0.0.1"), node("10.0.0.3")});
  engine::NodeHistory& third = orders.nodes["10.0.0.3:8080"].history;
  third.lifecycle = engine::Lifecycle::kRamping;
  third.ramp_start = at(1990);
  controller_->restore({orders}, at(2000));
  config.upstreams[0].nodes.push_back(node("10.0.0.3"));
  accept(config, 2000);
  const auto& nodes = controller_->snapshot().scopes.at("orders").nodes;
  EXPECT_EQ(nodes.at("10.0.0.1:8080").lifecycle, engine::Lifecycle::kMature);
  EXPECT_EQ(nodes.at("10.0.0.2:8080").lifecycle, engine::Lifecycle::kRamping);
  EXPECT_EQ(nodes.at("10.0.0.2:8080").ramp_start, at(2000));
  EXPECT_EQ(nodes.at("10.0.0.3:8080").ramp_start, at(1990))
      << "it goes on, though nothing is pinned";
}

// S3.21, S3.14: that the scope had no block is restored too; the maps cannot tell.
TEST_F(ControllerTest, AfterARestartABlockThatIsNewToARestoredScopeMakesAllMature) {
  Config config = config_of({node("10.0.0.1")});
  accept(config);
  settle();
  restart();
  engine::ScopeRecord orders = saved_scope("orders", {node("10.0.0.1")});
  orders.had_block = false;
  controller_->restore({orders}, at(2000));
  config.upstreams[0].slow_start =
      engine::SlowStart{.window = seconds(100), .min_weight_percent = 1};
  config.upstreams[0].nodes.push_back(node("10.0.0.2"));
  accept(config, 2000);
  EXPECT_EQ(controller_->snapshot().scopes.at("orders").nodes.at("10.0.0.2:8080").lifecycle,
            engine::Lifecycle::kMature);
}

// S3.21: what is restored says nothing of other scopes; those are remembered from the maps.
TEST_F(ControllerTest, AfterARestartAScopeThatIsNotRestoredIsRememberedFromThePinnedMaps) {
  const engine::SlowStart block{.window = seconds(100), .min_weight_percent = 1};
  Config config = config_of({node("10.0.0.1")});
  config.upstreams[0].slow_start = block;
  accept(config);
  settle();
  restart();
  controller_->restore({saved_scope("others", {node("10.0.0.1")})}, at(2000));
  config.upstreams[0].nodes.push_back(node("10.0.0.2"));
  accept(config, 2000);
  const auto& nodes = controller_->snapshot().scopes.at("orders").nodes;
  EXPECT_EQ(nodes.at("10.0.0.1:8080").lifecycle, engine::Lifecycle::kMature);
  EXPECT_EQ(nodes.at("10.0.0.2:8080").lifecycle, engine::Lifecycle::kRamping);
}

// S3.24: began, finished, in order and once each, whenever they are taken.
TEST_F(ControllerTest, EventsReachWhoeverTakesThemOnce) {
  const auto taken = [this] {
    std::vector<std::string> lines;
    for (const engine::Event& event : controller_->take_events()) {
      lines.push_back(event.scope + " " + event.identity + " " + engine::name_of(event.kind));
    }
    return lines;
  };
  Config config = config_of({node("10.0.0.1")});
  config.upstreams[0].slow_start =
      engine::SlowStart{.window = seconds(10), .min_weight_percent = 1};
  accept(config, 1000);
  EXPECT_THAT(taken(), IsEmpty());  // a baseline
  config.upstreams[0].nodes.push_back(node("10.0.0.2"));
  accept(config, 2000);
  EXPECT_THAT(taken(), ElementsAre("orders 10.0.0.2:8080 began"));
  EXPECT_THAT(taken(), IsEmpty());
  config.upstreams[0].nodes.push_back(node("10.0.0.3"));
  accept(config, 2005);
  converge(2010);
  converge(2015);
  converge(2016);
  EXPECT_THAT(taken(), ElementsAre("orders 10.0.0.3:8080 began", "orders 10.0.0.2:8080 finished",
                                   "orders 10.0.0.3:8080 finished"));
  EXPECT_THAT(taken(), IsEmpty());
}

// F5
TEST_F(ControllerTest, ARemovedBackendDrainsUntilItsFlowsEnd) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  const BackendId leaving = id_of("10.0.0.2");
  const uint32_t index = controller_->observed().backends.at(leaving).count_index;
  kernel_.set_flows(index, 3, 2);
  accept(config_of({node("10.0.0.1")}));
  EXPECT_THAT(slots_by_address(), ElementsAre(std::pair("10.0.0.1", kTableSize)));
  EXPECT_EQ(kernel_.backend(leaving).state & RP_STATE_MASK, RP_BACKEND_DRAINING);
  converge(1100);
  EXPECT_EQ(kernel_.backend(leaving).state & RP_STATE_MASK, RP_BACKEND_DRAINING);
  kernel_.flow_counts[index].closed = 3;
  converge(1101);
  EXPECT_EQ(kernel_.backend(leaving).state & RP_STATE_MASK, RP_BACKEND_FREE);
}

// F5
TEST_F(ControllerTest, ADrainEndsAtItsTimeoutWhateverFlowsAreLeft) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  const BackendId leaving = id_of("10.0.0.2");
  kernel_.set_flows(controller_->observed().backends.at(leaving).count_index, 1, 0);
  accept(config_of({node("10.0.0.1")}), 1000);
  converge(1299);
  EXPECT_EQ(kernel_.backend(leaving).state & RP_STATE_MASK, RP_BACKEND_DRAINING);
  converge(1300);
  EXPECT_EQ(kernel_.backend(leaving).state & RP_STATE_MASK, RP_BACKEND_FREE);
}

// F3: no table names a backend while its flows leave it.
TEST_F(ControllerTest, FlowsLeaveABackendAfterItsLastSlotAndStayBeforeItsFirst) {
  Config config = config_of({node("10.0.0.1"), node("10.0.0.2")});
  config.vips[0].on_down = OnDown::kMove;
  accept(config);
  const BackendId id = id_of("10.0.0.2");
  const auto moves = [&] { return maps::flows_move(kernel_.backend(id)); };
  controller_->set_admin("orders", "10.0.0.2:8080", engine::Admin::kMaintenance, at(1001));
  ASSERT_TRUE(controller_->tick(at(1001)));
  EXPECT_THAT(slots_by_address(), ElementsAre(std::pair("10.0.0.1", kTableSize)));
  EXPECT_FALSE(moves());  // a program may still read the half that names it
  settle();
  ASSERT_TRUE(controller_->tick(at(1002)));
  EXPECT_TRUE(moves());
  settle();
  kernel_.log.clear();
  controller_->set_admin("orders", "10.0.0.2:8080", engine::Admin::kNone, at(1003));
  ASSERT_TRUE(controller_->tick(at(1003)));
  EXPECT_FALSE(moves());
  EXPECT_EQ(maps::state_of(kernel_.backend(id)), RP_BACKEND_SERVING);
  EXPECT_THAT(kernel_.log, ElementsAre("keep the flows of backend " + std::to_string(raw(id)),
                                       testing::StartsWith("publish")));
}

// F3, F5
TEST_F(ControllerTest, ABackendThatItsFlowsLeftDrainsWithoutThem) {
  Config config = config_of({node("10.0.0.1"), node("10.0.0.2")});
  config.vips[0].on_down = OnDown::kMove;
  accept(config);
  const BackendId id = id_of("10.0.0.2");
  controller_->set_admin("orders", "10.0.0.2:8080", engine::Admin::kMaintenance, at(1001));
  ASSERT_TRUE(controller_->tick(at(1001)));
  settle();
  ASSERT_TRUE(controller_->tick(at(1002)));
  kernel_.set_flows(kernel_.backend(id).count_index, 1, 0);
  config.upstreams[0].nodes.pop_back();
  accept(config);
  EXPECT_EQ(maps::state_of(kernel_.backend(id)), RP_BACKEND_DRAINING);
  EXPECT_TRUE(maps::flows_move(kernel_.backend(id)));
}

TEST_F(ControllerTest, WhatACheckSaysCountsFromTheNextTickOn) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  controller_->set_health("orders", "10.0.0.2:8080", engine::Health::kDown, at(1001));
  ASSERT_TRUE(controller_->tick(at(1001)));
  EXPECT_THAT(slots_by_address(), ElementsAre(std::pair("10.0.0.1", kTableSize)));
}

TEST_F(ControllerTest, ABackendThatReturnsWhileItDrainsKeepsItsId) {
  const Config both = config_of({node("10.0.0.1"), node("10.0.0.2")});
  accept(both);
  settle();
  const BackendId id = id_of("10.0.0.2");
  kernel_.set_flows(controller_->observed().backends.at(id).count_index, 1, 0);
  accept(config_of({node("10.0.0.1")}));
  settle();
  accept(both);
  EXPECT_EQ(id_of("10.0.0.2"), id);
  EXPECT_EQ(kernel_.backend(id).state & RP_STATE_MASK, RP_BACKEND_SERVING);
  EXPECT_EQ(kernel_.backend(id).drain_until, 0u);
}

// B4
TEST_F(ControllerTest, AnAddressTakenOverByAnotherIdentityGetsANewIdAndTheFormerDrains) {
  Config config = config_of({node("10.0.0.1")});
  config.upstreams[0].nodes[0].port = 80;  // "10.0.0.1:80"
  accept(config);
  settle();
  const BackendId former = id_of("10.0.0.1");
  const uint32_t index = controller_->observed().backends.at(former).count_index;
  kernel_.set_flows(index, 1, 0);
  config.upstreams[0].nodes[0].port = 0;  // "10.0.0.1": the VIP's port, so it is reached alike
  accept(config);
  EXPECT_EQ(kernel_.backend(former).state & RP_STATE_MASK, RP_BACKEND_DRAINING);
  ASSERT_EQ(controller_->observed().backends.size(), 2u);
  const auto taker = std::prev(controller_->observed().backends.end());
  EXPECT_NE(taker->first, former);
  EXPECT_NE(taker->second.count_index, index);
}

// B4: only discovery brings about that a node has another address and is the same.
TEST_F(ControllerTest, ANodeThatMovesGetsANewIdWithItsCountAndTheFormerDrains) {
  accept(config_of({node("10.0.0.1")}));
  settle();
  const BackendId former = id_of("10.0.0.1");
  const uint32_t index = controller_->observed().backends.at(former).count_index;
  kernel_.set_flows(index, 1, 0);
  DesiredPlane desired = desired_plane(*controller_->config(), controller_->snapshot());
  desired.at(0).backends.at(0).key.address = ip("10.0.0.9");
  Observed observed = controller_->observed();
  Tables tables;
  const PlanInputs inputs{.grace = grace_,
                          .store = kernel_,
                          .next_hop = [](const BackendKey&) { return 1; },
                          .now_seconds = 1000};
  ASSERT_TRUE(
      apply(make_plan(desired, observed, tables, inputs), observed, kernel_, grace_).outcome);
  ASSERT_EQ(observed.backends.size(), 2u);
  const auto& [id, moved] = *std::prev(observed.backends.end());
  EXPECT_NE(id, former);
  EXPECT_EQ(from_wire(moved.address), ip("10.0.0.9"));
  EXPECT_EQ(moved.count_index, index);
  EXPECT_EQ(maps::state_of(kernel_.backend(former)), RP_BACKEND_DRAINING);
}

// B5
TEST_F(ControllerTest, AnIdIsHandedOutAgainOnlyAfterAGracePeriodAndASweep) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  const BackendId freed = id_of("10.0.0.1");
  accept(config_of({node("10.0.0.2")}));
  grace_.end_all();
  kernel_.end_grace();
  ASSERT_TRUE(controller_->tick(at(1001)));  // frees it
  grace_.end_all();
  kernel_.end_grace();
  accept(config_of({node("10.0.0.2"), node("10.0.0.3")}));
  EXPECT_NE(id_of("10.0.0.3"), freed);  // no sweep ended since
  settle();
  accept(config_of({node("10.0.0.2"), node("10.0.0.3"), node("10.0.0.4")}));
  EXPECT_EQ(id_of("10.0.0.4"), freed);
  EXPECT_EQ(kernel_.backend(freed).state >> RP_STATE_INCARNATION_SHIFT, 2u);
}

// B2: L4 counts are shared by all VIPs of a scope.
TEST_F(ControllerTest, IdsOfOneScopeAndIdentityShareACountIndex) {
  Config config = config_of({node("10.0.0.1"), node("10.0.0.2")});
  config.vips.push_back(vip("web2", "orders", "203.0.113.11"));
  accept(config);
  std::map<std::string, std::set<uint32_t>> indices;
  for (const auto& [id, backend] : controller_->observed().backends) {
    indices[from_wire(backend.address).to_string()].insert(backend.count_index);
  }
  EXPECT_EQ(controller_->observed().backends.size(), 4u);
  EXPECT_EQ(indices["10.0.0.1"].size(), 1u);
  EXPECT_EQ(indices["10.0.0.2"].size(), 1u);
  EXPECT_NE(indices["10.0.0.1"], indices["10.0.0.2"]);
}

// B2: one machine in two upstreams is two nodes.
TEST_F(ControllerTest, NodesOfTwoScopesAreCountedApart) {
  Config config = config_of({node("10.0.0.1")});
  accept(config);
  settle();
  config.upstreams.push_back(upstream("stock", {node("10.0.0.1")}));
  config.vips.push_back(vip("api", "stock", "203.0.113.11"));
  accept(config);
  const auto& backends = controller_->observed().backends;
  ASSERT_EQ(backends.size(), 2u);
  EXPECT_NE(backends.begin()->second.count_index, std::prev(backends.end())->second.count_index);
}

// B1, B2: `forward` belongs to the id, so established flows go on as they began.
TEST_F(ControllerTest, AChangeOfForwardGivesNewIdsAndDrainsTheFormerOnes) {
  Config config = config_of({node("10.0.0.1")});
  config.upstreams[0].nodes[0].port = 80;
  accept(config);
  settle();
  const BackendId nat = id_of("10.0.0.1");
  kernel_.set_flows(controller_->observed().backends.at(nat).count_index, 1, 0);
  config.vips[0].forward = RP_FORWARD_L2;
  accept(config);
  EXPECT_EQ(kernel_.backend(nat).state & RP_STATE_MASK, RP_BACKEND_DRAINING);
  EXPECT_EQ(kernel_.backend(nat).forward, RP_FORWARD_NAT);
  ASSERT_EQ(controller_->observed().backends.size(), 2u);
  EXPECT_EQ(std::prev(controller_->observed().backends.end())->second.count_index,
            kernel_.backend(nat).count_index);
  EXPECT_EQ(kernel_.nat_backends(), 1u);  // replies of flows that drain are still rewritten (F10)
}

TEST_F(ControllerTest, ARemovedVipIsWithdrawnAtOnceAndItsNumberFreedAfterAGracePeriod) {
  Config config = config_of({node("10.0.0.1")});
  accept(config);
  settle();
  config.vips.clear();
  config.upstreams.clear();
  kernel_.log.clear();
  accept(config);
  EXPECT_THAT(kernel_.log, ElementsAre("withdraw vip 1"));
  converge(1001);
  EXPECT_THAT(kernel_.log,
              ElementsAre("withdraw vip 1", "free backend 1", "free vip 1", "nat backends 0"));
}

// O8, C3
TEST_F(ControllerTest, AConfigurationThatDoesNotFitChangesNothingAndNamesTheOption) {
  accept(config_of({node("10.0.0.1")}));
  settle();
  kernel_.log.clear();
  std::vector<NodeConfig> many;
  for (int i = 1; i <= 17; ++i) many.push_back(node("10.0.1." + std::to_string(i)));
  const auto refused = controller_->accept(config_of(many), at(1001));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalidConfig);
  EXPECT_THAT(refused.error().text, HasSubstr("bpf.max_backends"));
  EXPECT_THAT(kernel_.log, IsEmpty());
  EXPECT_EQ(controller_->config()->upstreams[0].nodes.size(), 1u);
}

// O8, B1: what still drains takes room as well.
TEST_F(ControllerTest, BackendsThatDrainCountTowardsTheCapacity) {
  const auto crowd = [](int from, int to) {
    std::vector<NodeConfig> nodes;
    for (int i = from; i <= to; ++i) nodes.push_back(node("10.0.1." + std::to_string(i)));
    return config_of(nodes);
  };
  accept(crowd(1, 10));
  settle();
  for (const auto& [id, backend] : controller_->observed().backends) {
    kernel_.set_flows(backend.count_index, 1, 0);
  }
  accept(crowd(11, 16));
  settle();
  const auto refused = controller_->accept(crowd(11, 17), at(1001));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text,
              HasSubstr("7 backends (pairs of VIP and node) and 10 that still "
                        "drain do not fit: raise bpf.max_backends (now 16)"));
}

// O8
TEST_F(ControllerTest, MoreVipsThanFitAreRefusedAndTheOptionIsNamed) {
  Config config = config_of({node("10.0.0.1")});
  for (int i = 1; i < 8; ++i) {
    config.vips.push_back(
        vip("web" + std::to_string(i), "orders", "203.0.113." + std::to_string(i)));
  }
  accept(config);
  config.vips.push_back(vip("web8", "orders", "203.0.113.8"));
  const auto refused = controller_->accept(config, at(1001));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("9 VIPs do not fit: raise bpf.max_vips (now 8)"));
}

// A write that fails is returned, and the next tick goes on from what was done.
TEST_F(ControllerTest, AFailedWriteIsMadeUpForByTheNextTick) {
  kernel_.fail_at = 3;
  const auto failed =
      controller_->accept(config_of({node("10.0.0.1"), node("10.0.0.2")}), at(1000));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().text, HasSubstr("create table of vip 1: made to fail"));
  converge(1001);
  EXPECT_THAT(slots_by_address(),
              ElementsAre(std::pair("10.0.0.1", 126u), std::pair("10.0.0.2", 125u)));
}

TEST_F(ControllerTest, ChangedSettingsAreStoredAndNoSlotMoves) {
  Config config = config_of({node("10.0.0.1")});
  accept(config);
  settle();
  kernel_.log.clear();
  config.vips[0].timeouts.udp = seconds(7);
  accept(config);
  EXPECT_THAT(kernel_.log, ElementsAre("set vip 1"));
  EXPECT_EQ(kernel_.vip_state(VipNumber{1}).timeout_udp, 7u);
}

// X2
TEST_F(ControllerTest, AChangedNextHopIsStoredForEveryBackendThatItConcerns) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  const uint64_t former = kernel_.backend(id_of("10.0.0.2")).next_hop;
  hops_.moved = ip("10.0.0.2");
  kernel_.log.clear();
  ASSERT_TRUE(controller_->refresh_next_hops());
  EXPECT_THAT(kernel_.log, ElementsAre("next hop of backend 2"));
  EXPECT_NE(kernel_.backend(id_of("10.0.0.2")).next_hop, former);
  kernel_.log.clear();
  ASSERT_TRUE(controller_->refresh_next_hops());
  EXPECT_THAT(kernel_.log, IsEmpty());
}

// S3.21: a node that drained was absent before the restart.
TEST_F(ControllerTest, AfterARestartANodeThatWasDrainingIsNew) {
  const auto with_ramp = [](Config config) {
    config.upstreams[0].slow_start =
        engine::SlowStart{.window = seconds(100), .min_weight_percent = 1};
    return config;
  };
  accept(with_ramp(config_of({node("10.0.0.1"), node("10.0.0.2")})));
  settle();
  kernel_.set_flows(controller_->observed().backends.at(id_of("10.0.0.2")).count_index, 1, 0);
  accept(with_ramp(config_of({node("10.0.0.1")})));
  settle();
  restart();
  accept(with_ramp(config_of({node("10.0.0.1"), node("10.0.0.2")})), 1100);
  const auto& nodes = controller_->snapshot().scopes.at("orders").nodes;
  EXPECT_EQ(nodes.at("10.0.0.1:8080").lifecycle, engine::Lifecycle::kMature);
  EXPECT_EQ(nodes.at("10.0.0.2:8080").lifecycle, engine::Lifecycle::kRamping);
}

TEST_F(ControllerTest, ANumberThatWasNeverAnnouncedIsFreedOnceNobodyWantsIt) {
  kernel_.fail_at = 4;  // announce
  ASSERT_FALSE(controller_->accept(config_of({node("10.0.0.1")}), at(1000)));
  EXPECT_EQ(kernel_.tables(), 1u);
  Config none;
  accept(none);
  converge(1001);
  EXPECT_EQ(kernel_.tables(), 0u);
}

TEST_F(ControllerTest, ANumberThatADeadProcessLeftHalfMadeIsFreed) {
  kernel_.fail_at = 4;  // announce
  ASSERT_FALSE(controller_->accept(config_of({node("10.0.0.1")}), at(1000)));
  restart();
  accept(Config());
  converge(1001);
  EXPECT_EQ(kernel_.tables(), 0u);
  EXPECT_TRUE(controller_->observed().backends.empty());
}

// B5: 0 means "never handed out".
TEST_F(ControllerTest, AnIncarnationThatOverflowsSkipsZero) {
  kernel_.set_incarnation(BackendId{1}, UINT16_MAX);
  restart();
  accept(config_of({node("10.0.0.1")}));
  EXPECT_EQ(kernel_.backend(BackendId{1}).state >> RP_STATE_INCARNATION_SHIFT, 1u);
}

// B2: as long as a sweep has not given back the flows of a freed id, its count is not another's.
TEST_F(ControllerTest, ACountIndexRestsAsLongAsItsId) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  const uint32_t index = controller_->observed().backends.at(id_of("10.0.0.1")).count_index;
  accept(config_of({node("10.0.0.2")}));
  grace_.end_all();
  kernel_.end_grace();
  ASSERT_TRUE(controller_->tick(at(1001)));
  accept(config_of({node("10.0.0.2"), node("10.0.0.3")}));
  EXPECT_NE(controller_->observed().backends.at(id_of("10.0.0.3")).count_index, index);
}

// B5
TEST_F(ControllerTest, AnIdRestsThroughAGracePeriodEvenIfASweepEnded) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  const BackendId freed = id_of("10.0.0.1");
  accept(config_of({node("10.0.0.2")}));
  grace_.end_all();
  kernel_.end_grace();
  ASSERT_TRUE(controller_->tick(at(1001)));
  kernel_.end_sweep();
  controller_->sweep_began();
  controller_->sweep_ended();
  accept(config_of({node("10.0.0.2"), node("10.0.0.3")}));
  EXPECT_NE(id_of("10.0.0.3"), freed);
}

}  // namespace
}  // namespace rampart::control
