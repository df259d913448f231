// SPDX-License-Identifier: Apache-2.0
// The sweep removes what expired or went stale, and nothing else.
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

  void set_state(const Packet& packet, rp_flow_state state) {
    rp_flow flow = path_->flow(packet.key()).value();
    flow.word = (flow.word & ~(0xffull << RP_FLOW_STATE_SHIFT)) | static_cast<uint64_t>(state)
                                                                      << RP_FLOW_STATE_SHIFT;
    path_->change_flow(packet.key(), flow);
  }

  void expect_sweep(uint64_t seen, uint64_t live, uint64_t removed) {
    const rp_sweep found = path_->sweep();
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

TEST_F(Sweep, ClosedEntriesAreDeleted) {
  set_state(flow(kRst), RP_FLOW_CLOSED);
  expect_sweep(1, 0, 1);
  EXPECT_EQ(path_->count(1).closed, 1u);
}

TEST_F(Sweep, AnEntryThatAPacketIsDeletingIsLeftToIt) {
  const Packet packet = flow(kRst);
  set_state(packet, RP_FLOW_LEAVING);
  expect_sweep(1, 0, 0);
  path_->age_flow(packet.key(), 10);  // nobody is deleting it any more
  expect_sweep(1, 0, 1);
}

TEST_F(Sweep, ASweptTableHasRoomAgain) {  // F8
  ASSERT_TRUE(load({.flows = 4}));
  serve(kVip, {{.id = 1}});
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 4; ++i) path_->age_flow(flow().key(), kTimeoutSyn);
    expect_sweep(4, 0, 4);
  }
  EXPECT_EQ(path_->count(1).opened, 40u);
  EXPECT_EQ(path_->count(1).closed, 40u);
}

}  // namespace
}  // namespace rampart::bpf_test
