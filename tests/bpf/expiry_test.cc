// SPDX-License-Identifier: Apache-2.0
// F7: what has not been seen for its state's timeout is as good as absent, swept or not.
#include "bpf/flow_word.h"
#include "bpf/packet_path.h"

namespace rampart::bpf_test {
namespace {

const Vip kVip;
const Vip kUdpVip = {.number = 2, .protocol = IPPROTO_UDP};

// How a flow comes into a state, and what would otherwise stay with its backend.
struct State {
  const char* name;
  rp_flow_state state;
  uint32_t timeout;
  uint8_t protocol;
  std::vector<uint8_t> flags;  // packets that lead there
  bool holds_count;
};

const State kStates[] = {
    {"SYN only", RP_FLOW_SYN, kTimeoutSyn, IPPROTO_TCP, {kSyn}, true},
    {"established", RP_FLOW_ESTABLISHED, kTimeoutEstablished, IPPROTO_TCP, {kSyn, kAck}, true},
    {"closing", RP_FLOW_CLOSING, kTimeoutClosing, IPPROTO_TCP, {kSyn, kAck, kRst}, false},
    {"UDP", RP_FLOW_UDP, kTimeoutUdp, IPPROTO_UDP, {0}, true},
};

class Expiry : public PacketPathTest {
 protected:
  // A flow in the state, and its backend.
  uint32_t bring_into(const State& state) {
    EXPECT_TRUE(load());
    serve(kVip, {{.id = 1}, {.id = 2}});
    serve(kUdpVip, {{.id = 1}, {.id = 2}});
    packet_ = Packet{};
    packet_.protocol = state.protocol;
    uint32_t id = 0;
    for (const uint8_t flags : state.flags) {
      packet_.flags = flags;
      id = chosen(path_->run(packet_));
    }
    EXPECT_EQ(state_of(*path_->flow(packet_.key())), uint32_t{state.state}) << state.name;
    const Vip& vip = state.protocol == IPPROTO_TCP ? kVip : kUdpVip;
    path_->fill(vip, {3 - id});
    packet_.flags = state.protocol == IPPROTO_TCP ? kAck : 0;
    return id;
  }

  Packet packet_;
};

TEST_F(Expiry, AFlowLivesUntilItsTimeout) {  // F7
  for (const State& state : kStates) {
    const uint32_t id = bring_into(state);
    path_->age_flow(packet_.key(), state.timeout - 2);
    EXPECT_EQ(chosen(path_->run(packet_)), id) << state.name;
    EXPECT_LE(age_of(*path_->flow(packet_.key())), 1u) << state.name;
  }
}

TEST_F(Expiry, AtItsTimeoutItChoosesAnew) {  // F7
  for (const State& state : kStates) {
    const uint32_t id = bring_into(state);
    const uint64_t closed = path_->count(id).closed;
    path_->age_flow(packet_.key(), state.timeout);
    EXPECT_EQ(chosen(path_->run(packet_)), 3 - id) << state.name;
    EXPECT_EQ(path_->count(id).closed, closed + (state.holds_count ? 1 : 0)) << state.name;
    EXPECT_EQ(path_->active(id), 0u) << state.name;
    EXPECT_EQ(path_->active(3 - id), 1u) << state.name;
    EXPECT_EQ(path_->flows(), 1u) << state.name;
    EXPECT_LE(age_of(*path_->flow(packet_.key())), 1u) << state.name;
    EXPECT_EQ(chosen(path_->run(packet_)), 3 - id) << state.name;
    EXPECT_EQ(path_->count(3 - id).opened, 1u) << state.name;
  }
}

TEST_F(Expiry, ASynOnAnExpiredFlowChoosesAnew) {  // F2, F7
  const uint32_t id = bring_into(kStates[1]);
  path_->age_flow(packet_.key(), kTimeoutEstablished);
  packet_.flags = kSyn;
  EXPECT_EQ(chosen(path_->run(packet_)), 3 - id);
  EXPECT_EQ(state_of(*path_->flow(packet_.key())), uint32_t{RP_FLOW_SYN});
}

TEST_F(Expiry, TimeoutsArePerVip) {  // F7
  const uint32_t id = bring_into(kStates[3]);
  rp_vip_state udp = path_->vip_state(kUdpVip.number);
  udp.timeout_udp = 1000;
  path_->set_vip_state(kUdpVip.number, udp);
  path_->age_flow(packet_.key(), 900);
  EXPECT_EQ(chosen(path_->run(packet_)), id);
}

TEST_F(Expiry, TheTimeOfTheLastPacketIsOnlyEverRaised) {
  bring_into(kStates[1]);
  const uint64_t ahead =
      with_seen(path_->flow(packet_.key())->word, dataplane::FlowSweeper::now() + 100);
  path_->change_flow(packet_.key(), ahead);
  path_->run(packet_);
  EXPECT_EQ(path_->flow(packet_.key())->word, ahead);
}

}  // namespace
}  // namespace rampart::bpf_test
