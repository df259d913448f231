// SPDX-License-Identifier: Apache-2.0
// O6: what somebody else did to the maps is undone, and no flow moves for it.
#include "control/repair.h"

#include <cstring>

#include "maps/backend_state.h"
#include "unit/control/controller_fixture.h"

namespace rampart::control {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr VipNumber kVip{1};
constexpr VipNumber kOther{2};

class RepairTest : public ControllerTest {
 protected:
  void SetUp() override {
    ControllerTest::SetUp();
    Config config = config_of({node("10.0.0.1"), node("10.0.0.2")});
    config.vips.push_back(vip("api", "orders", "203.0.113.11"));
    config.upstreams[0].algorithm = RP_LEAST_CONN;
    accept(config);
    grace_.end_all();
    kernel_.end_grace();
    slots_ = kernel_.live_slots(kVip, kTableSize);
    first_ = kernel_.backend(kFirst);
    key_ = to_wire(controller_->observed().vips.at(kVip).address);
  }

  std::vector<std::string> mended() {
    kernel_.log.clear();
    const Repairs repairs = controller_->reconcile();
    EXPECT_TRUE(repairs.outcome);
    kernel_.broken.clear();  // the invariants are a plan's; they were broken on purpose
    grace_.end_all();
    kernel_.end_grace();
    EXPECT_THAT(controller_->reconcile().lines, IsEmpty()) << "it is whole again";
    return repairs.lines;
  }

  static constexpr BackendId kFirst{1};
  std::vector<uint16_t> slots_;
  rp_backend first_ = {};
  rp_vip_key key_ = {};
};

TEST_F(RepairTest, FindsNothingWhereNobodyChangedAnything) {
  EXPECT_THAT(mended(), IsEmpty());
  EXPECT_THAT(kernel_.log, IsEmpty());
}

TEST_F(RepairTest, AnnouncesAVipThatIsMissing) {
  ASSERT_TRUE(kernel_.withdraw_vip(key_));
  EXPECT_THAT(mended(), ElementsAre("rp_vips: 203.0.113.10:80/tcp was missing"));
  EXPECT_EQ(kernel_.vips()->size(), 2u);
}

TEST_F(RepairTest, LeadsAVipBackToItsNumber) {
  ASSERT_TRUE(kernel_.withdraw_vip(key_));
  ASSERT_TRUE(kernel_.announce_vip(key_, kOther));
  EXPECT_THAT(mended(), ElementsAre("rp_vips: 203.0.113.10:80/tcp led elsewhere",
                                    "rp_vips: 203.0.113.10:80/tcp was missing"));
}

TEST_F(RepairTest, WithdrawsAVipThatIsNoneOfOurs) {
  rp_vip_key foreign = key_;
  foreign.protocol = IPPROTO_UDP;
  ASSERT_TRUE(kernel_.announce_vip(foreign, kVip));
  EXPECT_THAT(mended(), ElementsAre("rp_vips: 203.0.113.10:80/udp is none of ours"));
}

TEST_F(RepairTest, RestoresABackendWithEveryWord) {
  rp_backend changed = first_;
  changed.address = to_wire(ip("10.6.6.6"));
  changed.port = 0;
  changed.next_hop = 0;
  changed.state = maps::with_state(changed.state, RP_BACKEND_DRAINING);
  ASSERT_TRUE(kernel_.restore_backend(kFirst, changed));
  EXPECT_THAT(mended(), ElementsAre("rp_backends: backend 1 was changed"));
  const rp_backend now = kernel_.backend(kFirst);
  EXPECT_EQ(std::memcmp(&now, &first_, sizeof now), 0);
}

TEST_F(RepairTest, PartsCountsThatSomebodyJoined) {
  ASSERT_TRUE(kernel_.join_count(CountIndex{2}, uint64_t{1} << RP_JOINED_FIRST_SHIFT));
  EXPECT_THAT(mended(),
              ElementsAre("rp_flow_counts: count 2 was joined to others than it should be"));
  EXPECT_THAT(kernel_.log, ElementsAre("join count 2"));
  EXPECT_EQ(kernel_.flow_count(CountIndex{2}).joined, 0u);
}

TEST_F(RepairTest, FreesABackendThatIsNoneOfOurs) {
  for (const uint32_t foreign : {9u, kernel_.max_backends()}) {
    const auto id = static_cast<BackendId>(foreign);
    ASSERT_TRUE(kernel_.restore_backend(id, first_));
    EXPECT_THAT(mended(), ElementsAre("rp_backends: backend " + std::to_string(foreign) +
                                      " is none of ours"));
    EXPECT_EQ(maps::state_of(kernel_.backend(id)), RP_BACKEND_FREE);
  }
}

TEST_F(RepairTest, RestoresSettings) {
  rp_vip_state changed = kernel_.vip_state(kVip);
  changed.timeout_udp = 1;
  changed.algorithm = RP_CHASH;
  ASSERT_TRUE(kernel_.set_vip_settings(kVip, changed));
  EXPECT_THAT(mended(), ElementsAre(HasSubstr("rp_vip_state: settings of 203.0.113.10:80/tcp")));
  EXPECT_EQ(kernel_.vip_state(kVip).timeout_udp, 60u);
  EXPECT_EQ(kernel_.vip_state(kVip).algorithm, static_cast<uint32_t>(RP_LEAST_CONN));
}

// W8: each slot has its former owner, and it is no move.
TEST_F(RepairTest, RestoresSlotsAndMembers) {
  std::vector<uint16_t> changed = slots_;
  changed.at(7) = 0;
  ASSERT_TRUE(kernel_.publish(kVip, changed, kernel_.live_members(kVip)));
  grace_.end_all();
  kernel_.end_grace();
  EXPECT_THAT(mended(), ElementsAre("rp_slots: slots of 203.0.113.10:80/tcp were changed"));
  EXPECT_EQ(kernel_.live_slots(kVip, kTableSize), slots_);

  std::vector<maps::Member> members = kernel_.live_members(kVip);
  ASSERT_EQ(members.size(), 2u);
  ASSERT_TRUE(kernel_.publish(kVip, slots_, std::span(members).first(1)));
  EXPECT_THAT(mended(), ElementsAre("rp_members: members of 203.0.113.10:80/tcp were changed"));
  EXPECT_EQ(kernel_.live_members(kVip), members);
  EXPECT_EQ(controller_->slots_moved(controller_->observed().vips.at(kVip).address).retarget, 0u);
}

TEST_F(RepairTest, MakesATableAnewThatIsNotInPlace) {
  ASSERT_TRUE(kernel_.withdraw_vip(key_));
  kernel_.lose_table(kVip);
  EXPECT_THAT(mended(),
              ElementsAre("rp_slots: the tables of 203.0.113.10:80/tcp were missing or replaced",
                          "rp_vips: 203.0.113.10:80/tcp was missing"));
  EXPECT_EQ(kernel_.live_slots(kVip, kTableSize), slots_);
}

TEST_F(RepairTest, MakesMembersAnewThatAreNotInPlace) {
  const std::vector<maps::Member> members = kernel_.live_members(kVip);
  kernel_.displaced = {kVip};
  EXPECT_THAT(mended(), ElementsAre(HasSubstr("the tables of 203.0.113.10:80/tcp were missing")));
  EXPECT_EQ(kernel_.live_members(kVip), members);
}

// As a plan does, so that nothing leads to what is not whole.
TEST_F(RepairTest, MendsFromTheBackendsToTheKeys) {
  ASSERT_TRUE(kernel_.withdraw_vip(key_));
  rp_vip_state changed = kernel_.vip_state(kVip);
  changed.timeout_udp = 1;
  ASSERT_TRUE(kernel_.set_vip_settings(kVip, changed));
  ASSERT_TRUE(kernel_.restore_backend(kFirst, rp_backend{}));
  ASSERT_TRUE(kernel_.set_nat_backends(0));
  EXPECT_THAT(mended(), ElementsAre(HasSubstr("rp_runtime"), HasSubstr("rp_backends"),
                                    HasSubstr("rp_vip_state"), HasSubstr("rp_vips")));
}

TEST_F(RepairTest, RestoresTheNumberOfNatBackends) {
  ASSERT_TRUE(kernel_.set_nat_backends(0));
  EXPECT_THAT(mended(), ElementsAre(HasSubstr("rp_runtime")));
  EXPECT_EQ(kernel_.nat_backends(), 4u);
}

// A half that programs may be reading is not written.
TEST_F(RepairTest, WaitsForTheGracePeriodOfAFlip) {
  std::vector<uint16_t> changed = slots_;
  changed.at(7) = 0;
  ASSERT_TRUE(kernel_.publish(kVip, changed, kernel_.live_members(kVip)));
  ASSERT_THAT(controller_->reconcile().lines.size(), 1u);
  ASSERT_TRUE(kernel_.publish(kVip, changed, kernel_.live_members(kVip)));
  EXPECT_THAT(controller_->reconcile().lines, IsEmpty());
  grace_.end_all();
  EXPECT_THAT(controller_->reconcile().lines.size(), 1u);
  kernel_.broken.clear();
}

TEST_F(RepairTest, SaysWhichWriteFailed) {
  ASSERT_TRUE(kernel_.withdraw_vip(key_));
  kernel_.fail_at = 0;
  const Repairs failed = controller_->reconcile();
  ASSERT_FALSE(failed.outcome);
  EXPECT_THAT(failed.lines, IsEmpty());
  EXPECT_THAT(failed.outcome.error().text, HasSubstr("rp_vips: 203.0.113.10:80/tcp was missing"));
  EXPECT_THAT(mended().size(), 1u);
}

}  // namespace
}  // namespace rampart::control
