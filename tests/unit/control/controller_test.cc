// SPDX-License-Identifier: Apache-2.0
// The control loop over the fake kernel, with plain times.
#include "control/controller.h"

#include <gmock/gmock.h>
#include <netinet/in.h>

#include <algorithm>
#include <set>

#include "unit/control/fake_kernel.h"

namespace rampart::control {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint32_t kTableSize = 251;

IpAddress ip(const std::string& text) {
  return *IpAddress::parse(text);
}
TimePoint at(int64_t second) {
  return TimePoint(seconds(second));
}

NodeConfig node(const std::string& address, uint32_t weight = 100, int priority = 0) {
  return {.address = ip(address), .port = 8080, .weight = weight, .priority = priority};
}

UpstreamConfig upstream(const ScopeId& id, std::vector<NodeConfig> nodes) {
  UpstreamConfig made;
  made.id = id;
  made.nodes = std::move(nodes);
  return made;
}

VipConfig vip(const std::string& id, const ScopeId& scope, const std::string& address) {
  VipConfig made;
  made.id = id;
  made.scope = scope;
  made.address = ip(address);
  made.port = 80;
  made.protocol = IPPROTO_TCP;
  made.forward = RP_FORWARD_NAT;
  made.table_size = kTableSize;
  return made;
}

// One VIP over the given nodes.
Config config_of(std::vector<NodeConfig> nodes) {
  Config config;
  config.upstreams = {upstream("orders", std::move(nodes))};
  config.vips = {vip("web", "orders", "203.0.113.10")};
  return config;
}

class ControllerTest : public testing::Test {
 protected:
  void SetUp() override { restart(); }
  void TearDown() override { EXPECT_THAT(kernel_.broken, IsEmpty()); }

  // A new process finds the maps that the last one left.
  void restart() {
    controller_ = std::make_unique<Controller>(
        Controller::Seams{.store = kernel_, .grace = grace_, .hops = hops_}, at(1000));
    ASSERT_TRUE(controller_->adopt());
    settle();
  }
  void settle() {
    grace_.end_all();
    kernel_.end_grace();
    kernel_.end_sweep();
    controller_->sweep_ended();
  }
  // Ticks until nothing waits any more.
  void converge(int64_t second) {
    for (int round = 0; round < 4; ++round) {
      ASSERT_TRUE(controller_->tick(at(second)));
      settle();
    }
  }
  void accept(const Config& config, int64_t second = 1000) {
    const auto accepted = controller_->accept(config, at(second));
    ASSERT_TRUE(accepted) << accepted.error().text;
  }
  std::map<std::string, uint32_t> slots_by_address() const {
    std::map<std::string, uint32_t> slots;
    const auto& observed = controller_->observed();
    for (const auto& [number, one] : observed.vips) {
      for (const engine::Owner owner : one.table) {
        if (owner == engine::kNobody) continue;
        const auto& backend = observed.backends.at(static_cast<BackendId>(owner));
        ++slots[from_wire(backend.address).to_string()];
      }
    }
    return slots;
  }
  BackendId id_of(const std::string& address) const {
    for (const auto& [id, backend] : controller_->observed().backends) {
      if (from_wire(backend.address) == ip(address)) return id;
    }
    return BackendId{0};
  }

  FakeKernel kernel_{8, 16};
  FakeGrace grace_;
  FakeHops hops_;
  std::unique_ptr<Controller> controller_;
};

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

// F5
TEST_F(ControllerTest, ARemovedBackendDrainsUntilItsFlowsEnd) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  const BackendId leaving = id_of("10.0.0.2");
  const uint32_t index = controller_->observed().backends.at(leaving).count_index;
  kernel_.flow_counts[index] = {.opened = 3, .closed = 2};
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
  kernel_.flow_counts[controller_->observed().backends.at(leaving).count_index] = {.opened = 1,
                                                                                   .closed = 0};
  accept(config_of({node("10.0.0.1")}), 1000);
  converge(1299);
  EXPECT_EQ(kernel_.backend(leaving).state & RP_STATE_MASK, RP_BACKEND_DRAINING);
  converge(1300);
  EXPECT_EQ(kernel_.backend(leaving).state & RP_STATE_MASK, RP_BACKEND_FREE);
}

TEST_F(ControllerTest, ABackendThatReturnsWhileItDrainsKeepsItsId) {
  const Config both = config_of({node("10.0.0.1"), node("10.0.0.2")});
  accept(both);
  settle();
  const BackendId id = id_of("10.0.0.2");
  kernel_.flow_counts[controller_->observed().backends.at(id).count_index] = {.opened = 1,
                                                                              .closed = 0};
  accept(config_of({node("10.0.0.1")}));
  settle();
  accept(both);
  EXPECT_EQ(id_of("10.0.0.2"), id);
  EXPECT_EQ(kernel_.backend(id).state & RP_STATE_MASK, RP_BACKEND_SERVING);
}

// B4
TEST_F(ControllerTest, AnAddressTakenOverByAnotherIdentityGetsANewIdAndTheFormerDrains) {
  Config config = config_of({node("10.0.0.1")});
  config.upstreams[0].nodes[0].port = 80;  // "10.0.0.1:80"
  accept(config);
  settle();
  const BackendId former = id_of("10.0.0.1");
  const uint32_t index = controller_->observed().backends.at(former).count_index;
  kernel_.flow_counts[index] = {.opened = 1, .closed = 0};
  config.upstreams[0].nodes[0].port = 0;  // "10.0.0.1": the VIP's port, so it is reached alike
  accept(config);
  EXPECT_EQ(kernel_.backend(former).state & RP_STATE_MASK, RP_BACKEND_DRAINING);
  ASSERT_EQ(controller_->observed().backends.size(), 2u);
  const auto taker = std::prev(controller_->observed().backends.end());
  EXPECT_NE(taker->first, former);
  EXPECT_NE(taker->second.count_index, index);
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

// W3: a stale table must never keep serving.
TEST_F(ControllerTest, AVipWithoutABackendHasAnEmptyTable) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  accept(config_of({node("10.0.0.1", 0), node("10.0.0.2", 0)}));
  EXPECT_THAT(slots_by_address(), IsEmpty());
  settle();
  accept(config_of({}));
  converge(2000);
  EXPECT_THAT(slots_by_address(), IsEmpty());
}

// W2
TEST_F(ControllerTest, ANodeOfWeightZeroKeepsItsIdAndOwnsNoSlot) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  const BackendId id = id_of("10.0.0.2");
  accept(config_of({node("10.0.0.1"), node("10.0.0.2", 0)}));
  EXPECT_THAT(slots_by_address(), ElementsAre(std::pair("10.0.0.1", kTableSize)));
  EXPECT_EQ(kernel_.backend(id).state & RP_STATE_MASK, RP_BACKEND_SERVING);
}

// W4: the sorry server.
TEST_F(ControllerTest, OnlyTheHighestPriorityWithAWeightOwnsSlots) {
  accept(config_of({node("10.0.0.1", 100, 1), node("10.0.0.2", 100, 0)}));
  EXPECT_THAT(slots_by_address(), ElementsAre(std::pair("10.0.0.1", kTableSize)));
  settle();
  accept(config_of({node("10.0.0.1", 0, 1), node("10.0.0.2", 100, 0)}));
  EXPECT_THAT(slots_by_address(), ElementsAre(std::pair("10.0.0.2", kTableSize)));
}

// S0, S2, W6
TEST_F(ControllerTest, ANewcomerRampsAndMovesOnlyWhatItMust) {
  Config config = config_of({node("10.0.0.1"), node("10.0.0.2")});
  config.upstreams[0].slow_start =
      engine::SlowStart{.window = seconds(100), .min_weight_percent = 1};
  accept(config, 1000);
  settle();
  config.upstreams[0].nodes.push_back(node("10.0.0.3"));
  accept(config, 2000);
  EXPECT_EQ(slots_by_address()["10.0.0.3"], 1u);
  for (int64_t second = 2001; second <= 2100; ++second) {
    settle();
    ASSERT_EQ(controller_->next_deadline(), at(second));
    ASSERT_TRUE(controller_->tick(at(second)));
  }
  EXPECT_EQ(slots_by_address()["10.0.0.3"], 83u);  // 251 slots over three equal nodes
  EXPECT_EQ(controller_->next_deadline(), std::nullopt);
  // The two others give what the newcomer takes, and at most one slot a step between themselves.
  EXPECT_GE(controller_->slots_moved(VipAddress{ip("203.0.113.10"), 80, IPPROTO_TCP}).retarget,
            83u);
  EXPECT_LE(controller_->slots_moved(VipAddress{ip("203.0.113.10"), 80, IPPROTO_TCP}).retarget,
            90u);
}

// W7: two slots a second, none before all ramps are over, until the table is what a fresh start makes.
TEST_F(ControllerTest, OnceNothingRampsTheTableIsRefilledABitASecond) {
  constexpr uint32_t kRefill = 2;
  const VipAddress address{ip("203.0.113.10"), 80, IPPROTO_TCP};
  Config config = config_of({node("10.0.0.1"), node("10.0.0.2"), node("10.0.0.3")});
  config.vips[0].refill_slots = kRefill;
  config.upstreams[0].slow_start =
      engine::SlowStart{.window = seconds(20), .min_weight_percent = 1};
  accept(config, 1000);
  settle();
  config.upstreams[0].nodes.push_back(node("10.0.0.4"));
  accept(config, 2000);
  int64_t second = 2001;
  for (; second < 2020; ++second) {
    settle();
    ASSERT_TRUE(controller_->tick(at(second)));
    EXPECT_EQ(controller_->slots_moved(address).refill, 0u);
  }
  // Weights that come and go leave slots off the goal, as a ramp does.
  for (const uint32_t weight : {300u, 10u, 100u}) {
    settle();
    config.upstreams[0].nodes[0].weight = weight;
    accept(config, second);
  }
  uint64_t refilled = controller_->slots_moved(address).refill, seconds_of_refill = 0;
  EXPECT_LE(refilled, kRefill);
  for (; second < 2120; ++second) {
    for (int again = 0; again < 3; ++again) {  // a tick is not a second
      settle();
      ASSERT_TRUE(controller_->tick(at(second)));
    }
    const uint64_t now = controller_->slots_moved(address).refill;
    EXPECT_LE(now - refilled, kRefill);
    seconds_of_refill += now > refilled;
    refilled = now;
  }
  EXPECT_GT(seconds_of_refill, 1u);
  const auto refilled_table = controller_->observed().vips.begin()->second.table;

  // The same nodes and ids, fresh: the goal.
  FakeKernel other(8, 16);
  FakeGrace grace;
  Controller fresh({.store = other, .grace = grace, .hops = hops_}, at(0));
  ASSERT_TRUE(fresh.adopt());
  ASSERT_TRUE(fresh.accept(config, at(0)));
  EXPECT_EQ(refilled_table, fresh.observed().vips.begin()->second.table);
}

// W7
TEST_F(ControllerTest, ARefillOfNothingIsNever) {
  const VipAddress address{ip("203.0.113.10"), 80, IPPROTO_TCP};
  Config config = config_of({node("10.0.0.1"), node("10.0.0.2"), node("10.0.0.3")});
  config.vips[0].refill_slots = 0;
  accept(config, 1000);
  settle();
  config.upstreams[0].nodes.push_back(node("10.0.0.4"));
  accept(config, 1001);
  config.upstreams[0].nodes.erase(config.upstreams[0].nodes.begin());
  settle();
  accept(config, 1002);
  for (int64_t second = 1003; second < 1010; ++second) converge(second);
  EXPECT_EQ(controller_->slots_moved(address).refill, 0u);
}

TEST_F(ControllerTest, ATableIsPublishedOnlyAfterTheGracePeriodOfTheLastFlip) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  accept(config_of({node("10.0.0.1"), node("10.0.0.2", 50)}));
  const auto published = slots_by_address();
  accept(config_of({node("10.0.0.1"), node("10.0.0.2", 10)}));  // the spare half is still read
  EXPECT_EQ(slots_by_address(), published);
  settle();
  ASSERT_TRUE(controller_->tick(at(1001)));
  EXPECT_EQ(slots_by_address()["10.0.0.2"], 23u);
}

// B1: `forward` belongs to the id, so established flows go on as they began.
TEST_F(ControllerTest, AChangeOfForwardGivesNewIdsAndDrainsTheFormerOnes) {
  Config config = config_of({node("10.0.0.1")});
  config.upstreams[0].nodes[0].port = 80;
  accept(config);
  settle();
  const BackendId nat = id_of("10.0.0.1");
  kernel_.flow_counts[controller_->observed().backends.at(nat).count_index] = {.opened = 1,
                                                                               .closed = 0};
  config.vips[0].forward = RP_FORWARD_L2;
  accept(config);
  EXPECT_EQ(kernel_.backend(nat).state & RP_STATE_MASK, RP_BACKEND_DRAINING);
  EXPECT_EQ(kernel_.backend(nat).forward, RP_FORWARD_NAT);
  EXPECT_EQ(controller_->observed().backends.size(), 2u);
  EXPECT_EQ(kernel_.nat_backends, 1u);  // replies of flows that drain are still rewritten (F10)
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

TEST_F(ControllerTest, ATableGrowsAndShrinksWhileItServes) {
  Config config = config_of({node("10.0.0.1"), node("10.0.0.2")});
  accept(config);
  settle();
  for (const uint32_t size : {1009u, 503u, 1009u, 4099u, 251u}) {
    config.vips[0].table_size = size;
    accept(config);
    converge(1001);
    EXPECT_EQ(slots_by_address()["10.0.0.1"] + slots_by_address()["10.0.0.2"], size);
  }
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

// W9
TEST_F(ControllerTest, TheOrderOfNodesInTheFileDoesNotMatter) {
  accept(config_of({node("10.0.0.1", 10), node("10.0.0.2", 20), node("10.0.0.3", 30)}));
  settle();
  kernel_.log.clear();
  accept(config_of({node("10.0.0.3", 30), node("10.0.0.1", 10), node("10.0.0.2", 20)}));
  EXPECT_THAT(kernel_.log, IsEmpty());
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
  kernel_.flow_counts[controller_->observed().backends.at(id_of("10.0.0.2")).count_index] = {
      .opened = 1, .closed = 0};
  accept(with_ramp(config_of({node("10.0.0.1")})));
  settle();
  restart();
  accept(with_ramp(config_of({node("10.0.0.1"), node("10.0.0.2")})), 1100);
  const auto& nodes = controller_->snapshot().scopes.at("orders").nodes;
  EXPECT_EQ(nodes.at("10.0.0.1:8080").lifecycle, engine::Lifecycle::kMature);
  EXPECT_EQ(nodes.at("10.0.0.2:8080").lifecycle, engine::Lifecycle::kRamping);
}

TEST_F(ControllerTest, ATableThatIsNotInUseIsMadeAnew) {
  const Config config = config_of({node("10.0.0.1")});
  accept(config);
  settle();
  kernel_.lose_table(VipNumber{1});
  restart();
  accept(config);
  EXPECT_THAT(kernel_.log, testing::Contains("create table of vip 1"));
  EXPECT_THAT(slots_by_address(), ElementsAre(std::pair("10.0.0.1", kTableSize)));
  kernel_.broken.clear();  // it was announced without a table until then, which is the fault itself
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
  controller_->sweep_ended();
  accept(config_of({node("10.0.0.2"), node("10.0.0.3")}));
  EXPECT_NE(id_of("10.0.0.3"), freed);
}

}  // namespace
}  // namespace rampart::control
