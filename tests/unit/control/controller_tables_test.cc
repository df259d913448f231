// SPDX-License-Identifier: Apache-2.0
// The slot tables that the control loop publishes.
#include <algorithm>
#include <set>

#include "unit/control/controller_fixture.h"

namespace rampart::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

// What an operator said of a node of the scope "orders" to the process before.
engine::EngineState said_before(const Identity& identity, const engine::Condition& condition) {
  const engine::NodeRecord record{
      .listed = true, .discovered = false, .history = {}, .condition = condition};
  return {{.id = "orders", .nodes = {{identity, record}}}};
}

engine::Condition in_maintenance() {
  engine::Condition condition;
  condition.admin = engine::Admin::kMaintenance;
  return condition;
}

engine::Condition overridden(uint32_t weight) {
  engine::Condition condition;
  condition.override_weight = weight;
  return condition;
}

// W7, W10: a node that is away does not keep the others off their places.
TEST_F(ControllerTest, TheTableIsRefilledWhileANodeIsInMaintenance) {
  Config config =
      config_of({node("10.0.0.1"), node("10.0.0.2"), node("10.0.0.3"), node("10.0.0.4")});
  controller_->restore(said_before("10.0.0.2:8080", in_maintenance()), at(1000));
  accept(config);
  for (const uint32_t weight : {300u, 10u, 100u}) {  // leaves slots off the goal
    settle();
    config.upstreams[0].nodes[0].weight = weight;
    accept(config);
  }
  for (int64_t second = 1001; second < 1010; ++second) converge(second);
  const VipAddress address{ip("203.0.113.10"), 80, IPPROTO_TCP};
  EXPECT_GT(controller_->slots_moved(address).refill, 0u);
  EXPECT_FALSE(slots_by_address().contains("10.0.0.2"));
}

// W4
TEST_F(ControllerTest, TheSorryServerServesWhileTheTierAboveItIsInMaintenance) {
  controller_->restore(said_before("10.0.0.1:8080", in_maintenance()), at(1000));
  accept(config_of({node("10.0.0.1", 100, 1), node("10.0.0.2", 100, 0)}));
  EXPECT_THAT(slots_by_address(), ElementsAre(std::pair("10.0.0.2", kTableSize)));
}

// W4: there is a slot for each node, also for one whose weight is an operator's.
TEST_F(ControllerTest, AnOverrideOfANodeOfWeightZeroHasASlot) {
  controller_->restore(said_before("10.0.0.2:8080", overridden(1)), at(1000));
  accept(config_of({node("10.0.0.1", 65535), node("10.0.0.2", 0)}));
  EXPECT_EQ(slots_by_address()["10.0.0.2"], 1u);
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

// W9
TEST_F(ControllerTest, TheOrderOfNodesInTheFileDoesNotMatter) {
  accept(config_of({node("10.0.0.1", 10), node("10.0.0.2", 20), node("10.0.0.3", 30)}));
  settle();
  kernel_.log.clear();
  accept(config_of({node("10.0.0.3", 30), node("10.0.0.1", 10), node("10.0.0.2", 20)}));
  EXPECT_THAT(kernel_.log, IsEmpty());
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

}  // namespace
}  // namespace rampart::control
