// SPDX-License-Identifier: Apache-2.0
// F8: where the table is full, what never became a connection gives way to a new flow, and nothing
// else does. The table is one bucket, so that every flow competes with every other.
#include "bpf/flow_word.h"
#include "bpf/packet_path.h"

namespace rampart::bpf_test {
namespace {

const Vip kVip;
const Vip kUdpVip = {.number = 2, .protocol = IPPROTO_UDP};

class Eviction : public PacketPathTest {
 protected:
  void SetUp() override {
    PacketPathTest::SetUp();
    if (IsSkipped() || HasFatalFailure() || !load({.flows = 1})) return;
    serve(kVip, {{.id = 1}});
    serve(kUdpVip, {{.id = 2}});
  }

  Packet begin(uint8_t flags = kSyn, uint8_t protocol = IPPROTO_TCP) {
    Packet packet;
    packet.protocol = protocol;
    packet.flags = flags;
    packet.source_port = next_port_++;
    path_->run(packet);
    return packet;
  }
  Packet established() {
    Packet packet = begin();
    packet.flags = kAck;
    path_->run(packet);
    return packet;
  }
  // Flows that only began, `ages` seconds ago.
  std::vector<Packet> begun(const std::vector<uint32_t>& ages) {
    std::vector<Packet> packets;
    for (const uint32_t age : ages) {
      packets.push_back(begin());
      path_->age_flow(packets.back().key(), age);
    }
    return packets;
  }
  bool is_there(const Packet& packet) const { return path_->flow(packet.key()).has_value(); }

  uint16_t next_port_ = 1000;
};

TEST_F(Eviction, TheOldestSynOnlyEntryGivesWay) {  // F8
  const auto begun_flows = begun({2, 20, 5, 3});
  const Packet taker = begin();
  EXPECT_TRUE(is_there(taker));
  EXPECT_FALSE(is_there(begun_flows[1]));
  for (const int other : {0, 2, 3}) EXPECT_TRUE(is_there(begun_flows[other]));
  EXPECT_EQ(path_->flow_stats().evicted, 1u);
  EXPECT_EQ(path_->flow_stats().refused, 0u);
}

TEST_F(Eviction, ItsCountIsGivenBack) {  // F6, F8
  begun({2, 20, 5, 3});
  begin();
  EXPECT_EQ(path_->count(1).opened, 5u);
  EXPECT_EQ(path_->count(1).closed, 1u);
}

TEST_F(Eviction, AnEntryOfThisSecondStays) {  // F8
  const auto begun_flows = begun({0, 1, 0, 1});
  EXPECT_FALSE(is_there(begin()));
  for (const Packet& packet : begun_flows) EXPECT_TRUE(is_there(packet));
  EXPECT_EQ(path_->flow_stats().refused, 1u);
}

TEST_F(Eviction, WhatWasEstablishedNeverGivesWay) {  // F8
  const Packet kept[] = {established(), established(), begin(0, IPPROTO_UDP), established()};
  for (const Packet& packet : kept) path_->age_flow(packet.key(), 20);
  EXPECT_FALSE(is_there(begin()));
  for (const Packet& packet : kept) EXPECT_TRUE(is_there(packet));
  EXPECT_EQ(path_->active(1), 3u);
  EXPECT_EQ(path_->active(2), 1u);
}

// One forged RST or FIN leaves a closing entry: a flood of them must not keep others out either.
TEST_F(Eviction, WhatIsClosingGivesWayAfterEverySyn) {  // F8
  const Packet older = begin(kRst), newer = begin(kRst);
  path_->age_flow(older.key(), 20);
  path_->age_flow(newer.key(), 10);
  const auto begun_flows = begun({2, 2});
  EXPECT_TRUE(is_there(begin()));
  EXPECT_TRUE(is_there(begin()));
  for (const Packet& packet : begun_flows) EXPECT_FALSE(is_there(packet));
  EXPECT_TRUE(is_there(begin()));
  EXPECT_FALSE(is_there(older));
  EXPECT_TRUE(is_there(newer));
  EXPECT_EQ(path_->count(1).closed, 4u);
}

TEST_F(Eviction, WhatIsDeadGivesWayFirst) {  // F7, F8
  const Packet expired = established();
  path_->age_flow(expired.key(), kTimeoutEstablished);
  const auto begun_flows = begun({20, 20, 20});
  EXPECT_TRUE(is_there(begin()));
  EXPECT_FALSE(is_there(expired));
  for (const Packet& packet : begun_flows) EXPECT_TRUE(is_there(packet));
  EXPECT_EQ(path_->flow_stats().evicted, 0u);  // nothing was given up
  EXPECT_EQ(path_->active(1), 4u);
}

TEST_F(Eviction, AStaleEntryIsDead) {  // F3, F8
  begun({0, 0, 0});
  const Packet stale = begin(0, IPPROTO_UDP);
  path_->set_backend_state(2, 1, RP_BACKEND_FREE);
  EXPECT_TRUE(is_there(begin()));
  EXPECT_FALSE(is_there(stale));
  EXPECT_EQ(path_->count(2).closed, 1u);
}

// A flood of first packets cannot take the places of who is connected, and who connects during it
// finds a place as soon as the flood's own entries are older than a second.
TEST_F(Eviction, AFloodOfSynsHarmsNobodyWhoIsConnected) {  // F8
  const Packet connected[] = {established(), established()};
  for (int second = 0; second < 3; ++second) {
    for (int i = 0; i < 50; ++i) begin();
    for (const Flow& flow : path_->all_flows()) {
      if (state_of(flow) != RP_FLOW_SYN) continue;
      path_->table().swap(flow.place, flow.word,
                          with_seen(flow.word, dataplane::FlowSweeper::now() - 2));
    }
    const Packet legitimate = begin();
    EXPECT_TRUE(is_there(legitimate));
    for (const Packet& packet : connected) EXPECT_TRUE(is_there(packet));
  }
  EXPECT_EQ(path_->active(1), uint64_t{RP_BUCKET_FLOWS});
}

// Flows are spread over buckets of four by two choices: at max_flows few of them find both full.
TEST_F(Eviction, WithMaxFlowsLiveAtMostOneInAThousandWasRefused) {  // F8
  constexpr uint32_t kFlows = 65536;
  ASSERT_TRUE(load({.flows = kFlows}));
  serve(kVip, {{.id = 1}});
  Packet packet;
  for (uint32_t flow = 0; flow < kFlows; ++flow) {
    packet.source = "10." + std::to_string(flow >> 12) + ".0.1";
    packet.source_port = static_cast<uint16_t>(1 + (flow & 0xfff));
    for (const uint8_t flags : {kSyn, kAck}) {
      packet.flags = flags;
      path_->run_uncounted(packet.to_bytes());
    }
  }
  EXPECT_EQ(path_->flow_stats().evicted, 0u);
  const uint64_t without = kFlows - path_->active(1);
  EXPECT_LE(without, kFlows / 1000);
  EXPECT_GE(path_->flow_stats().refused, without);
}

}  // namespace
}  // namespace rampart::bpf_test
