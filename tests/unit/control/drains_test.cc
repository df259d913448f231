// SPDX-License-Identifier: Apache-2.0
// F5: the event "drained".
#include "control/drains.h"

#include <set>

#include "unit/control/controller_fixture.h"

namespace rampart::control {
namespace {

using testing::IsEmpty;

class DrainsTest : public ControllerTest {
 protected:
  void SetUp() override {
    ControllerTest::SetUp();
    accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
    settle();
    EXPECT_THAT(ended(), IsEmpty());
    flows().opened = 3;
  }
  rp_flow_count& flows() {
    const auto& backend = controller_->observed().backends.at(id_of("10.0.0.2"));
    return kernel_.flow_counts[backend.count_index];
  }
  void order(engine::Admin admin) {
    controller_->set_admin("orders", "10.0.0.2:8080", admin, at(1000));
    converge(1000);
  }
  std::vector<std::string> ended() {
    std::vector<std::string> names;
    for (const Drained& one : controller_->take_drained()) {
      EXPECT_FALSE(one.removed);
      EXPECT_EQ(one.flows_left, 0u);
      names.push_back(one.backend);
    }
    return names;
  }
  const std::vector<std::string> it_ended{"orders/10.0.0.2:8080"};
};

TEST_F(DrainsTest, ADrainEndsOnceWithItsLastFlow) {
  order(engine::Admin::kDrain);
  EXPECT_THAT(ended(), IsEmpty());
  flows().closed = 2;
  EXPECT_THAT(ended(), IsEmpty());
  flows().closed = 3;
  EXPECT_EQ(ended(), it_ended);
  EXPECT_THAT(ended(), IsEmpty());
}

TEST_F(DrainsTest, ADrainOfAnIdleBackendEndsAtOnceAndEachOrderIsADrainOfItsOwn) {
  flows().closed = 3;
  for (int time = 0; time < 2; ++time) {
    order(engine::Admin::kDrain);
    EXPECT_EQ(ended(), it_ended);
    order(engine::Admin::kNone);
    EXPECT_THAT(ended(), IsEmpty());
  }
}

// Programs may still be making a flow by the table of before.
TEST_F(DrainsTest, ADrainDoesNotEndBeforeTheGracePeriodOfItsTable) {
  flows().closed = 3;
  controller_->set_admin("orders", "10.0.0.2:8080", engine::Admin::kDrain, at(1000));
  ASSERT_TRUE(controller_->tick(at(1000)));
  EXPECT_THAT(ended(), IsEmpty());
  settle();
  EXPECT_EQ(ended(), it_ended);
}

// B2: two scopes have become one, and each id goes on with the count that it had.
TEST_F(DrainsTest, ADrainEndsWithTheLastFlowOfAllCountsOfANode) {
  flows().closed = 3;
  Config config = config_of({node("10.0.0.1"), node("10.0.0.2")});
  config.upstreams.push_back(upstream("stock", config.upstreams[0].nodes));
  config.vips.push_back(vip("api", "stock", "203.0.113.11"));
  accept(config);
  settle();
  config.vips[1].scope = "orders";
  accept(config);
  settle();
  std::set<uint32_t> counts;
  for (const auto& [id, backend] : controller_->observed().backends) {
    if (from_wire(backend.address) == ip("10.0.0.2")) counts.insert(backend.count_index);
  }
  ASSERT_EQ(counts.size(), 2u);
  for (const uint32_t first : counts) {
    for (const uint32_t index : counts) kernel_.set_flows(index, 1, 0);
    order(engine::Admin::kDrain);
    EXPECT_THAT(ended(), IsEmpty());
    kernel_.flow_counts[first].closed = 1;
    EXPECT_THAT(ended(), IsEmpty());
    for (const uint32_t index : counts) kernel_.flow_counts[index].closed = 1;
    EXPECT_EQ(ended(), it_ended);
    order(engine::Admin::kNone);
    EXPECT_THAT(ended(), IsEmpty());
  }
}

TEST_F(DrainsTest, MaintenanceIsNoDrain) {
  order(engine::Admin::kMaintenance);
  flows().closed = 3;
  EXPECT_THAT(ended(), IsEmpty());
}

// S3.21: what an earlier process saw end is not told again.
TEST_F(DrainsTest, AfterARestartOnlyADrainThatGoesOnEnds) {
  for (const uint64_t closed : {3u, 2u}) {
    flows().closed = closed;
    order(engine::Admin::kDrain);
    const engine::EngineState kept = controller_->engine_state(at(1001));
    restart();
    controller_->restore(kept, at(1002));
    accept(config_of({node("10.0.0.1"), node("10.0.0.2")}), 1002);
    converge(1002);
    EXPECT_THAT(ended(), IsEmpty());
    flows().closed = 3;
    EXPECT_EQ(ended(), closed == 3 ? std::vector<std::string>() : it_ended);
  }
}

TEST_F(DrainsTest, ARemovedBackendsDrainSaysWhatWasLeft) {
  accept(config_of({node("10.0.0.1")}));
  settle();
  converge(1001);
  EXPECT_THAT(controller_->take_drained(), IsEmpty());
  flows().closed = 1;
  converge(1301);
  const std::vector<Drained> drained = controller_->take_drained();
  ASSERT_EQ(drained.size(), 1u);
  EXPECT_EQ(drained[0].backend, "10.0.0.2:8080 of 203.0.113.10:80/tcp");
  EXPECT_TRUE(drained[0].removed);
  EXPECT_EQ(drained[0].flows_left, 2u);
}

// Nobody can reach them any more.
TEST_F(DrainsTest, BackendsOfAVipThatIsGoneDoNotDrain) {
  accept(Config());
  settle();
  converge(1001);
  EXPECT_THAT(controller_->observed().backends, IsEmpty());
  EXPECT_THAT(controller_->take_drained(), IsEmpty());
}

}  // namespace
}  // namespace rampart::control
