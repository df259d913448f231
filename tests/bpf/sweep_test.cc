// SPDX-License-Identifier: Apache-2.0
// The sweep removes what expired or went stale, and nothing else.
#include "bpf/flow_word.h"
#include "bpf/packet_path.h"

namespace rampart::bpf_test {
namespace {

const Vip kVip;

class Sweep : public PacketPathTest {
 protected:
  void SetUp() override {
    PacketPathTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    serve(kVip, {{.id = 1}});
  }

  // A flow of its own, as its first packet leaves it.
  Packet flow(uint8_t flags = kSyn) {
    Packet packet;
    packet.source_port = next_port_++;
    packet.flags = flags;
    path_->run(packet);
    return packet;
  }

  void expect_sweep(uint64_t seen, uint64_t live, uint64_t removed) {
    const dataplane::Sweep found = path_->sweep();
    EXPECT_EQ(found.seen, seen);
    EXPECT_EQ(found.live, live);
    EXPECT_EQ(found.removed, removed);
    EXPECT_EQ(path_->flows(), seen - removed);
  }

  uint16_t next_port_ = 1000;
};

TEST_F(Sweep, AnEmptyTableIsSweptInNoTime) {
  expect_sweep(0, 0, 0);
}

TEST_F(Sweep, LiveFlowsStay) {
  for (int i = 0; i < 50; ++i) flow(i % 2 == 0 ? kSyn : kAck);
  expect_sweep(50, 50, 0);
  EXPECT_EQ(path_->active(1), 50u);
}

TEST_F(Sweep, ExpiredFlowsGoAndGiveTheirCountBackOnce) {  // F6, F7
  for (int i = 0; i < 20; ++i) path_->age_flow(flow(kSyn).key(), kTimeoutSyn);
  for (int i = 0; i < 10; ++i) flow(kSyn);
  for (int i = 0; i < 5; ++i) {
    const Packet established = flow(kAck);
    path_->run(established);
    path_->age_flow(established.key(), kTimeoutSyn);  // stays
  }
  expect_sweep(35, 15, 20);
  EXPECT_EQ(path_->active(1), 15u);
  expect_sweep(15, 15, 0);
  EXPECT_EQ(path_->active(1), 15u);
}

TEST_F(Sweep, AClosingFlowHasGivenItsCountBackAlready) {  // F6
  const Packet closing = flow(kRst);
  ASSERT_EQ(path_->active(1), 0u);
  expect_sweep(1, 1, 0);
  path_->age_flow(closing.key(), kTimeoutClosing);
  expect_sweep(1, 0, 1);
  EXPECT_EQ(path_->count(1).closed, 1u);
}

TEST_F(Sweep, FlowsOfAFreedBackendGo) {  // F3
  for (int i = 0; i < 10; ++i) flow();
  path_->set_backend_state(1, 1, RP_BACKEND_DRAINING);
  expect_sweep(10, 10, 0);
  path_->set_backend_state(1, 1, RP_BACKEND_FREE);
  expect_sweep(10, 0, 10);
  EXPECT_EQ(path_->active(1), 0u);
}

TEST_F(Sweep, FlowsOfAnotherIncarnationGoWithoutTouchingItsCount) {  // F3, B5
  for (int i = 0; i < 10; ++i) flow();
  path_->set_backend_state(1, 2, RP_BACKEND_SERVING);
  expect_sweep(10, 0, 10);
  EXPECT_EQ(path_->count(1).closed, 0u);
}

TEST_F(Sweep, FlowsOfAVipThatIsNoLongerInUseGo) {
  for (int i = 0; i < 10; ++i) flow();
  path_->remove_key(kVip);
  path_->set_vip_state(kVip.number, rp_vip_state{});
  expect_sweep(10, 0, 10);
  EXPECT_EQ(path_->active(1), 0u);
}

// A program that stopped between taking an entry and filling it in.
TEST_F(Sweep, AnEntryThatNobodyFillsInIsFreed) {
  const Packet packet = flow();
  const uint32_t now = dataplane::FlowSweeper::now();
  path_->change_flow(packet.key(), making_word(7, RP_FLOW_TAKEN, now));
  path_->sweep();
  EXPECT_EQ(path_->flows(), 1u);  // it may be filled in at this moment
  for (uint32_t place = 0; place < path_->table().places(); ++place) {
    const uint64_t word = path_->table().word(place);
    if (word != 0) path_->table().swap(place, word, making_word(7, RP_FLOW_NAMED, now - 2));
  }
  path_->sweep();
  EXPECT_EQ(path_->flows(), 0u);
}

// A second that ends right after the entry was taken is none that the program had.
TEST_F(Sweep, AnEntryIsFilledInForLongerThanASecondBeforeItIsFreed) {
  const uint32_t now = dataplane::FlowSweeper::now();
  for (const rp_flow_state state : {RP_FLOW_TAKEN, RP_FLOW_NAMED}) {
    path_->write_entry(0, 1, making_word(7, state, now));
    for (const uint32_t later : {0u, 1u}) {
      path_->sweeper().pass(now + later);
      EXPECT_EQ(path_->flows(), 1u) << later;
    }
    path_->sweeper().pass(now + 2);
    EXPECT_EQ(path_->flows(), 0u);
  }
}

TEST_F(Sweep, ACountThatDisagreesThreeTimesIsCorrected) {  // F6
  for (int i = 0; i < 5; ++i) flow();
  uint32_t second = 0;
  for (const int wrong : {2, -3}) {
    rp_flow_count count = path_->count(1);
    count.opened += static_cast<uint64_t>(wrong);
    path_->set_count(1, count);
    EXPECT_EQ(path_->sweep(++second).drift, 0u);
    EXPECT_EQ(path_->sweep(++second).drift, 0u);
    EXPECT_EQ(path_->active(1), static_cast<uint64_t>(5 + wrong));
    EXPECT_EQ(path_->sweep(++second).drift, static_cast<uint64_t>(std::abs(wrong)));
    EXPECT_EQ(path_->active(1), 5u);
    EXPECT_EQ(path_->sweep(++second).drift, 0u);
  }
}

// A CPU that is stopped between a count and its entry leaves them apart for a moment.
TEST_F(Sweep, PassesWithinASecondDisagreeOnlyOnce) {  // F6
  const uint32_t now = dataplane::FlowSweeper::now();
  flow();
  rp_flow_count count = path_->count(1);
  count.opened++;
  path_->set_count(1, count);
  for (int pass = 0; pass < 10; ++pass) EXPECT_EQ(path_->sweeper().pass(now).drift, 0u);
  EXPECT_EQ(path_->sweeper().pass(now + 1).drift, 0u);
  EXPECT_EQ(path_->sweeper().pass(now + 2).drift, 1u);
}

TEST_F(Sweep, ItRunsInSteps) {
  for (int i = 0; i < 50; ++i) flow();
  const uint32_t now = dataplane::FlowSweeper::now();
  auto& sweeper = path_->sweeper();
  const uint32_t places = path_->table().places();
  uint32_t steps = 1;
  std::optional<dataplane::Sweep> found;
  for (; !(found = sweeper.step(100, now)); ++steps) EXPECT_TRUE(sweeper.running());
  EXPECT_FALSE(sweeper.running());
  EXPECT_EQ(steps, (places + 99) / 100);
  EXPECT_EQ(found->live, 50u);
}

TEST_F(Sweep, ASweptTableHasRoomAgain) {  // F8
  ASSERT_TRUE(load({.flows = 1}));
  serve(kVip, {{.id = 1}});
  uint64_t refused = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2 * RP_BUCKET_FLOWS; ++i) flow();
    EXPECT_EQ(path_->flows(), uint64_t{RP_BUCKET_FLOWS});
    EXPECT_GT(path_->flow_stats().refused, refused);
    refused = path_->flow_stats().refused;
    for (const Flow& each : path_->all_flows()) {
      path_->table().swap(each.place, each.word,
                          with_seen(each.word, dataplane::FlowSweeper::now() - kTimeoutSyn));
    }
    path_->sweep();
    EXPECT_EQ(path_->flows(), 0u);
  }
  EXPECT_EQ(path_->active(1), 0u);
}

}  // namespace
}  // namespace rampart::bpf_test
