// SPDX-License-Identifier: Apache-2.0
// nat: answers find their way back, and no two flows share one (F11).
#include <linux/bpf.h>

#include <set>

#include "bpf/flow_word.h"
#include "bpf/packet_path.h"
#include "bpf/wires.h"
#include "rampart/limits.h"

namespace rampart::bpf_test {
namespace {

const Vip kVip;
const Vip kSecondVip = {.number = 2, .address = "203.0.113.2"};
const Vip kUdpVip = {.number = 3, .protocol = IPPROTO_UDP};

std::vector<Backend> nodes(uint32_t first_id, uint32_t count) {
  std::vector<Backend> out;
  for (uint32_t node = 1; node <= count; ++node) {
    out.push_back(
        {.id = first_id + node - 1, .address = "192.0.2." + std::to_string(node), .port = 8080});
  }
  return out;
}

uint64_t established_reply(uint32_t backend) {
  const uint32_t now = dataplane::FlowSweeper::now();
  return with_mark(make_word(backend, 1, RP_FLOW_ESTABLISHED, now), RP_FLOW_REPLY);
}

class Nat : public PacketPathTest {
 protected:
  // A backend's answer to the client's packet.
  static Packet reply_to(const Packet& packet, uint32_t node = 1) {
    Packet reply = packet;
    reply.source = "192.0.2." + std::to_string(node);
    reply.source_port = 8080;
    reply.destination = packet.source;
    reply.destination_port = packet.source_port;
    reply.flags = kSyn | kAck;
    reply.ttl = 64;
    return reply;
  }

  static rp_tuple reply_key(const Packet& packet, uint32_t node = 1) {
    return reply_to(packet, node).key();
  }

  Handled send(uint8_t flags, const std::string& payload = "") {
    packet_.flags = flags;
    packet_.payload = payload;
    return path_->run(packet_);
  }

  Handled reply(const Wires& wires, uint8_t flags, const std::string& payload = "") {
    Packet reply = reply_to(packet_);
    reply.flags = flags;
    reply.payload = payload;
    return path_->run(reply, wires.servers());
  }

  uint32_t state() const { return state_of(path_->flow(packet_.key()).value()); }

  Packet packet_;
};

TEST_F(Nat, AFlowHasAReplyEntryThatMirrorsIt) {  // F11
  serve_nat(kVip, nodes(1, 1));
  send(kSyn);
  ASSERT_EQ(path_->flows(), 2u);
  const Flow reply = path_->flow(reply_key(packet_)).value();
  EXPECT_EQ(backend_of(reply), 1u);
  EXPECT_EQ(marks_of(reply), uint32_t{RP_FLOW_REPLY});
  EXPECT_EQ(state_of(reply), uint32_t{RP_FLOW_SYN});
  EXPECT_EQ(reply.origin.client_port, swap16(packet_.source_port));  // as in its own entry
  send(kAck);
  EXPECT_EQ(state_of(*path_->flow(reply_key(packet_))), uint32_t{RP_FLOW_ESTABLISHED});
  EXPECT_EQ(path_->count(1).opened, 1u);  // a pair holds one count
}

TEST_F(Nat, AnAnswerIsRewrittenAndFollowsTheRoutes) {  // X1, X3, X11
  serve_nat(kVip, nodes(1, 1));
  serve_nat(kUdpVip, nodes(4, 1));
  const Wires wires;
  for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP}) {
    packet_.protocol = protocol;
    ASSERT_EQ(send(kSyn).outcome, RP_forward_tx);
    for (const auto& [ingress, outcome] :
         {std::pair{wires.servers(), RP_reply_redirect}, std::pair{wires.client(), RP_reply_tx}}) {
      Packet answer = reply_to(packet_);
      answer.payload = "answer";
      const Handled run = path_->run(answer, ingress);
      ASSERT_EQ(run.outcome, outcome) << name_of(run.outcome);
      EXPECT_EQ(run.vip, protocol == IPPROTO_TCP ? kVip.number : kUdpVip.number);
      const Received out = run.received();
      EXPECT_EQ(text_of(out.source), kVip.address);
      EXPECT_EQ(out.source_port, kVip.port);
      EXPECT_EQ(text_of(out.destination), packet_.source);
      EXPECT_EQ(out.ttl, 63);
      EXPECT_EQ(out.destination_mac, kClientMac);
      EXPECT_EQ(out.source_mac, wires.client_side_mac());
      EXPECT_TRUE(out.ip_checksum_right);
      EXPECT_TRUE(out.l4_checksum_right);
    }
  }
}

TEST_F(Nat, AnUnresolvedClientIsADropThatAsksForIt) {  // X2
  serve_nat(kVip, nodes(1, 1));
  const Wires wires;
  for (const auto& [client, next_hop] :
       {std::pair{"198.51.100.9", "198.51.100.9"}, std::pair{"10.1.2.3", "198.51.100.254"}}) {
    packet_.source = client;
    send(kSyn);
    EXPECT_EQ(reply(wires, kSyn | kAck).outcome, RP_drop_reply_unresolved);
    EXPECT_EQ(path_->pop_unresolved(), next_hop);
    EXPECT_EQ(path_->pop_unresolved(), std::nullopt);
  }
  packet_.source = "100.64.0.1";  // no route at all: nobody to ask for
  send(kSyn);
  EXPECT_EQ(reply(wires, kSyn | kAck).outcome, RP_drop_reply_unresolved);
  EXPECT_EQ(path_->pop_unresolved(), std::nullopt);
}

TEST_F(Nat, TheOldestUnresolvedNextHopGivesWay) {  // X2
  serve_nat(kVip, nodes(1, 1));
  const Wires wires;
  for (int host = 0; host <= RP_UNRESOLVED_QUEUE; ++host) {
    packet_.source = "198.51.100." + std::to_string(host < 7 ? 250 + host % 4 : 9);
    packet_.source_port++;
    send(kSyn);
    reply(wires, kSyn | kAck);
  }
  EXPECT_EQ(path_->pop_unresolved(), "198.51.100.251");
}

TEST_F(Nat, AnAnswerThatIsNotOneOfOursPasses) {  // X9, F10
  serve_nat(kVip, nodes(1, 1));
  const Wires wires;
  send(kSyn);
  Packet other = reply_to(packet_);
  other.source_port = 9999;
  EXPECT_EQ(path_->run(other, wires.servers()).outcome, RP_pass_no_vip);
  other = reply_to(packet_);
  other.fragment = 0x2000;
  EXPECT_EQ(path_->run(other, wires.servers()).outcome, RP_pass_no_vip);
  Bytes cut = reply_to(packet_).to_bytes();
  cut.resize(cut.size() - 1);
  EXPECT_EQ(path_->run(cut, wires.servers()).outcome, RP_pass_no_vip);
}

TEST_F(Nat, WithoutNatBackendsNothingElseIsLookedUp) {  // F10
  serve(kVip, nodes(1, 1));
  const Wires wires;
  path_->put_flow(reply_key(packet_), established_reply(1));
  EXPECT_EQ(reply(wires, kAck).outcome, RP_pass_no_vip);
  serve_nat(kSecondVip, nodes(10, 1));
  EXPECT_EQ(reply(wires, kAck).outcome, RP_reply_redirect);
}

TEST_F(Nat, AnAnswerWhoseTtlIsUsedUpPasses) {  // X3
  serve_nat(kVip, nodes(1, 1));
  const Wires wires;
  send(kSyn);
  Packet answer = reply_to(packet_);
  answer.ttl = 1;
  const Handled run = path_->run(answer, wires.servers());
  EXPECT_EQ(run.outcome, RP_pass_ttl);
  EXPECT_EQ(run.frame, answer.to_bytes());
}

TEST_F(Nat, AnAnswerOfAFreedBackendPasses) {  // F3
  serve_nat(kVip, nodes(1, 1));
  const Wires wires;
  send(kSyn);
  path_->set_backend_state(1, 1, RP_BACKEND_DRAINING);
  EXPECT_EQ(reply(wires, kAck).outcome, RP_reply_redirect);
  path_->set_backend_state(1, 1, RP_BACKEND_FREE);
  EXPECT_EQ(reply(wires, kAck).outcome, RP_pass_no_vip);
}

TEST_F(Nat, ABackendThatItsFlowsLeaveStillAnswers) {  // F3
  serve_nat(kUdpVip, nodes(1, 2));
  const Wires wires;
  packet_.protocol = IPPROTO_UDP;
  const uint32_t first = chosen(send(0));
  path_->fill(kUdpVip, {3 - first});
  path_->set_flows_move(first, true);
  const Packet in_flight = reply_to(packet_, first);
  EXPECT_EQ(path_->run(in_flight, wires.servers()).outcome, RP_reply_redirect);
  EXPECT_EQ(chosen(send(0)), 3 - first);
  EXPECT_EQ(path_->active(first), 0u);
  EXPECT_EQ(path_->active(3 - first), 1u);
  for (const Packet& answer : {in_flight, reply_to(packet_, 3 - first)}) {
    EXPECT_EQ(path_->run(answer, wires.servers()).outcome, RP_reply_redirect);
  }
  EXPECT_EQ(path_->active(3 - first), 1u);
}

TEST_F(Nat, TheFormerBackendsLastWordIsNotTheNewFlows) {  // F3, F6
  serve_nat(kVip, nodes(1, 2));
  const Wires wires;
  const uint32_t first = chosen(send(kSyn));
  send(kAck);
  path_->fill(kVip, {3 - first});
  path_->set_flows_move(first, true);
  ASSERT_EQ(chosen(send(kAck)), 3 - first);
  for (const uint8_t flags : {kFin, kRst}) {
    Packet late = reply_to(packet_, first);
    late.flags = flags;
    EXPECT_EQ(path_->run(late, wires.servers()).outcome, RP_reply_redirect);
  }
  EXPECT_EQ(path_->active(3 - first), 1u);
  EXPECT_NE(state(), uint32_t{RP_FLOW_CLOSING});
}

// --- the end of a flow ---------------------------------------------------------------------------

TEST_F(Nat, BothFinsEndAFlowAndOneDoesNot) {  // F6
  for (const bool client_first : {true, false}) {
    ASSERT_TRUE(load());
    serve_nat(kVip, nodes(1, 1));
    const Wires wires;
    send(kSyn);
    reply(wires, kSyn | kAck);
    send(kAck);
    client_first ? send(kFin | kAck) : reply(wires, kFin | kAck);
    EXPECT_EQ(state(), uint32_t{RP_FLOW_ESTABLISHED});
    EXPECT_EQ(path_->active(1), 1u);
    EXPECT_EQ(send(kAck, "more").outcome, RP_forward_tx);
    EXPECT_EQ(reply(wires, kAck, "more").outcome, RP_reply_redirect);
    client_first ? reply(wires, kFin | kAck) : send(kFin | kAck);
    EXPECT_EQ(state(), uint32_t{RP_FLOW_CLOSING});
    EXPECT_EQ(state_of(*path_->flow(reply_key(packet_))), uint32_t{RP_FLOW_CLOSING});
    EXPECT_EQ(path_->active(1), 0u);
    EXPECT_EQ(send(kAck).outcome, RP_forward_tx);  // the last acknowledgements
    EXPECT_EQ(reply(wires, kAck).outcome, RP_reply_redirect);
    EXPECT_EQ(send(kAck, "late").outcome, RP_forward_tx);
    EXPECT_EQ(state(), uint32_t{RP_FLOW_CLOSING});  // both ends said so: nothing revives it
    EXPECT_EQ(path_->count(1).opened, 1u);
    EXPECT_EQ(path_->count(1).closed, 1u);
  }
}

TEST_F(Nat, ARstOfEitherEndEndsAFlow) {  // F6
  serve_nat(kVip, nodes(1, 1));
  const Wires wires;
  for (const bool from_client : {true, false}) {
    packet_.source_port++;
    send(kSyn);
    send(kAck);
    EXPECT_EQ(path_->active(1), 1u);
    EXPECT_EQ((from_client ? send(kRst) : reply(wires, kRst)).verdict,
              uint32_t{from_client ? XDP_TX : XDP_REDIRECT});
    EXPECT_EQ(state(), uint32_t{RP_FLOW_CLOSING});
    EXPECT_EQ(path_->active(1), 0u);
    EXPECT_EQ(reply(wires, kAck, "in flight").outcome, RP_reply_redirect);
    EXPECT_EQ(path_->active(1), 0u);  // a reply revives nothing
    send(kAck, "data");
    EXPECT_EQ(state(), uint32_t{RP_FLOW_ESTABLISHED});
    EXPECT_EQ(path_->active(1), 1u);
    send(kRst);
    EXPECT_EQ(path_->active(1), 0u);
  }
}

TEST_F(Nat, AnAnswerThatCannotBeSentChangesNothing) {
  serve_nat(kVip, nodes(1, 1));
  const Wires wires;
  packet_.source = "198.51.100.9";  // nobody knows its MAC address
  send(kSyn);
  send(kAck);
  EXPECT_EQ(reply(wires, kRst).outcome, RP_drop_reply_unresolved);
  EXPECT_EQ(state(), uint32_t{RP_FLOW_ESTABLISHED});  // the answer will come again
}

TEST_F(Nat, AnswersKeepAFlowAlive) {  // F7
  serve_nat(kVip, nodes(1, 1));
  const Wires wires;
  send(kSyn);
  send(kAck);
  path_->age_flow(packet_.key(), 1000);
  path_->age_flow(reply_key(packet_), 1000);
  reply(wires, kAck);
  EXPECT_LE(age_of(*path_->flow(packet_.key())), 1u);
  EXPECT_LE(age_of(*path_->flow(reply_key(packet_))), 1u);
}

TEST_F(Nat, TheClientsPacketsKeepTheReplyEntryAlive) {  // F7
  serve_nat(kVip, nodes(1, 1));
  send(kSyn);
  send(kAck);
  path_->age_flow(packet_.key(), 1000);
  path_->age_flow(reply_key(packet_), 1000);
  send(kAck);
  EXPECT_LE(age_of(*path_->flow(reply_key(packet_))), 1u);
}

TEST_F(Nat, AnAnswerOfAnExpiredFlowPasses) {  // F7
  serve_nat(kVip, nodes(1, 1));
  const Wires wires;
  send(kSyn);
  path_->age_flow(reply_key(packet_), kTimeoutSyn);
  EXPECT_EQ(reply(wires, kSyn | kAck).outcome, RP_pass_no_vip);
}

TEST_F(Nat, APacketOfAVipThatIsGoneIsNoAnswer) {  // X9
  serve_nat(kVip, nodes(1, 1));
  const Wires wires;
  send(kSyn);
  path_->remove_key(kVip);
  EXPECT_EQ(send(kAck).outcome, RP_pass_no_vip);
}

TEST_F(Nat, AnAnswerDoesNotWakeAnExpiredFlow) {  // F7
  serve_nat(kVip, nodes(1, 1));
  const Wires wires;
  send(kSyn);
  path_->age_flow(packet_.key(), kTimeoutSyn);
  path_->age_flow(reply_key(packet_), 2);
  reply(wires, kSyn | kAck);
  EXPECT_GE(age_of(*path_->flow(packet_.key())), kTimeoutSyn);
}

TEST_F(Nat, AReplyEntryThatWasLostIsMadeAgainWithinASecond) {
  serve_nat(kVip, nodes(1, 1));
  send(kSyn);
  path_->age_flow(reply_key(packet_), kTimeoutSyn);
  path_->sweep();
  ASSERT_FALSE(path_->flow(reply_key(packet_)));
  path_->age_flow(packet_.key(), 1);
  send(kSyn);
  EXPECT_TRUE(path_->flow(reply_key(packet_)));
}

TEST_F(Nat, ASweepRemovesBothEntriesOfAnExpiredPairAndGivesOneCountBack) {  // F6
  serve_nat(kVip, nodes(1, 1));
  send(kSyn);
  path_->age_flow(packet_.key(), kTimeoutSyn);
  path_->age_flow(reply_key(packet_), kTimeoutSyn);
  EXPECT_EQ(path_->sweep().removed, 2u);
  EXPECT_EQ(path_->count(1).closed, 1u);
}

// --- collisions ----------------------------------------------------------------------------------

// Two VIPs on the same nodes: ids 1... and 11..., the client's port towards both.
class Collision : public Nat {
 protected:
  void share(uint32_t count) {
    serve_nat(kVip, nodes(1, count));
    serve_nat(kSecondVip, nodes(11, count));
    for (const uint32_t number : {1u, 2u}) {
      rp_vip_state state = path_->vip_state(number);
      state.algorithm = RP_CHASH;  // so that both go to the same node first
      state.hash_seed = 7;
      path_->set_vip_state(number, state);
    }
    second_.destination = kSecondVip.address;
  }

  // Other live flows of this client hold the reply tuple of every node.
  void hold_all(uint32_t count) {
    for (uint32_t node = 1; node <= count; ++node) {
      path_->put_flow(reply_key(packet_, node), established_reply(node));
    }
  }

  Packet second_;  // the same client and port, to the second VIP
};

TEST_F(Collision, TheSecondFlowTakesTheNextOtherNode) {  // F11
  share(3);
  const uint32_t first = chosen(send(kSyn));
  const Handled run = path_->run(second_);
  ASSERT_EQ(run.outcome, RP_forward_tx);
  const uint32_t node = chosen(run) - 10;
  EXPECT_EQ(node, first % 3 + 1);  // the table names them in turn
  EXPECT_EQ(path_->flows(), 4u);
  EXPECT_EQ(path_->active(first), 1u);
  EXPECT_EQ(path_->active(10 + first), 0u);
  EXPECT_EQ(path_->active(10 + node), 1u);
  second_.flags = kAck;
  EXPECT_EQ(chosen(path_->run(second_)), 10 + node);  // and keeps it
}

TEST_F(Collision, FourNodesAreTriedAndNoFifth) {  // F11
  share(5);
  const uint32_t first = chosen(path_->run(second_)) - 10;
  const auto node = [&](uint32_t turn) {
    return (first + turn - 1) % 5 + 1;
  };  // tried in this turn
  ASSERT_TRUE(load());
  share(5);
  hold_all(5);
  EXPECT_EQ(path_->run(second_).outcome, RP_drop_nat_collision);
  path_->age_flow(reply_key(packet_, node(4)), kTimeoutEstablished);
  EXPECT_EQ(path_->run(second_).outcome, RP_drop_nat_collision);
  EXPECT_EQ(path_->flows(), 5u);
  for (uint32_t id = 11; id <= 15; ++id) EXPECT_EQ(path_->count(id).opened, 0u);
  path_->age_flow(reply_key(packet_, node(3)), kTimeoutEstablished);
  EXPECT_EQ(chosen(path_->run(second_)), 10 + node(3));
}

TEST_F(Collision, WithFewerNodesEachIsTriedOnce) {  // F11
  for (const uint32_t count : {1u, 2u, 3u, 4u}) {
    ASSERT_TRUE(load());
    share(count);
    hold_all(count);
    EXPECT_EQ(path_->run(second_).outcome, RP_drop_nat_collision) << count;
    EXPECT_EQ(path_->flows(), count);
  }
}

TEST_F(Collision, ANodeThatWasTriedIsPassedOver) {  // F11
  share(3);
  path_->fill(kSecondVip, {11, 12, 11, 12, 11, 12, 11, 12, 11, 12, 11, 12, 11, 12, 13});
  for (; second_.source_port < 40010; packet_.source_port++, second_.source_port++) {
    hold_all(2);
    EXPECT_EQ(chosen(path_->run(second_)), 13u);
  }
}

// The node is a client too, and another client forges the VIP's own address and port: the answer's
// tuple is then the one of the node's own flow.
TEST_F(Nat, AFlowsOwnEntryIsNobodysReplyEntry) {  // F11
  serve_nat(kVip, nodes(1, 1));
  Packet of_node = packet_;
  of_node.source = "192.0.2.1";
  of_node.source_port = 8080;
  ASSERT_EQ(chosen(path_->run(of_node)), 1u);
  const uint64_t word = path_->flow(of_node.key())->word;
  packet_.source = kVip.address;
  packet_.source_port = kVip.port;
  EXPECT_EQ(send(kSyn).outcome, RP_drop_nat_collision);
  EXPECT_EQ(path_->flow(of_node.key())->word, word);
  EXPECT_EQ(path_->active(1), 1u);
}

TEST_F(Collision, ADeadFlowsTupleIsTakenOver) {  // F11
  enum class Death { kExpired, kFreed, kIncarnation };
  for (const Death death : {Death::kExpired, Death::kFreed, Death::kIncarnation}) {
    ASSERT_TRUE(load());
    share(1);
    ASSERT_EQ(chosen(send(kSyn)), 1u);
    ASSERT_EQ(path_->run(second_).outcome, RP_drop_nat_collision);
    if (death == Death::kExpired) path_->age_flow(reply_key(packet_), kTimeoutSyn);
    if (death == Death::kFreed) path_->set_backend_state(1, 1, RP_BACKEND_FREE);
    if (death == Death::kIncarnation) path_->set_backend_state(1, 2, RP_BACKEND_SERVING);
    EXPECT_EQ(path_->run(second_).outcome, RP_forward_tx);
    EXPECT_EQ(backend_of(*path_->flow(reply_key(packet_))), 11u);
  }
}

TEST_F(Collision, ADifferentClientPortIsNoCollision) {  // F11
  share(1);
  send(kSyn);
  second_.source_port++;
  EXPECT_EQ(path_->run(second_).outcome, RP_forward_tx);
}

TEST_F(Collision, ASynOnAClosingFlowMayReturnToItsNode) {  // F11, F2
  share(1);
  send(kSyn);
  send(kRst);
  EXPECT_EQ(send(kSyn).outcome, RP_forward_tx);
  EXPECT_EQ(path_->flows(), 2u);
  EXPECT_EQ(path_->active(1), 1u);
  EXPECT_EQ(state_of(*path_->flow(reply_key(packet_))), uint32_t{RP_FLOW_SYN});
}

// --- no room -------------------------------------------------------------------------------------

// What one packet begins must not outlive the SYN timeout, whatever it says of itself.
TEST_F(Nat, ALoneFinEstablishesNothing) {  // F6, F7
  serve_nat(kVip, nodes(1, 1));
  send(kFin | kAck);
  EXPECT_EQ(state(), uint32_t{RP_FLOW_SYN});
  send(kAck);
  EXPECT_EQ(state(), uint32_t{RP_FLOW_ESTABLISHED});
}

// A client forges another VIP's address as its own; the node's answer then is a packet for that VIP.
TEST_F(Nat, AnAnswerThatIsAddressedToAVipTouchesNoFlow) {  // F1
  serve_nat(kVip, nodes(1, 1));
  Vip l2 = kSecondVip;
  l2.port = 1024;
  serve(l2, {{.id = 30, .address = "192.0.2.30", .forward = RP_FORWARD_L2}});
  packet_.source = l2.address;
  packet_.source_port = l2.port;
  send(kSyn);
  const uint64_t word = path_->flow(reply_key(packet_))->word;
  const Handled answer = path_->run(reply_to(packet_));
  EXPECT_EQ(chosen(answer), 30u);
  EXPECT_EQ(path_->flow(reply_key(packet_))->word, word);
}

TEST_F(Nat, AFullTableIsADropOfItsOwnAndLeavesNothingBehind) {  // F8
  for (const bool own_has_room : {false, true}) {
    ASSERT_TRUE(load());
    serve_nat(kVip, nodes(1, 1));
    const rp_tuple full = own_has_room ? reply_key(packet_) : packet_.key();
    for (const uint32_t place : path_->candidates(full)) {
      path_->write_entry(place, 1, established_reply(1));
    }
    EXPECT_EQ(send(kSyn).outcome, RP_drop_table_full);
    EXPECT_EQ(path_->flow_stats().refused, 1u);
    EXPECT_FALSE(path_->flow(packet_.key()));
    EXPECT_FALSE(path_->flow(reply_key(packet_)));
    EXPECT_EQ(path_->active(1), 0u);
  }
}

TEST_F(Nat, AboveTheLimitOfNewFlowsThePacketIsDropped) {  // F9
  ASSERT_TRUE(load({.new_flow_limit_per_cpu = 10}));
  serve_nat(kVip, nodes(1, 1));
  uint32_t second = 0;
  rp_outcome out = RP_GO_ON;
  do {  // again, if a second ended meanwhile
    packet_.source_port++;
    second = dataplane::FlowSweeper::now();
    path_->set_new_flows(10);
    out = send(kSyn).outcome;
  } while (dataplane::FlowSweeper::now() != second);
  EXPECT_EQ(out, RP_drop_table_full);
  EXPECT_EQ(path_->count(1).opened, 0u);
}

// Whoever traces the way to a VIP learns of this hop, flow or no flow.
TEST_F(Nat, AUsedUpTtlPassesAboveTheLimitToo) {  // X3, F9
  ASSERT_TRUE(load({.new_flow_limit_per_cpu = 10}));
  serve_nat(kVip, nodes(1, 1));
  packet_.ttl = 1;
  uint32_t second = 0;
  rp_outcome out = RP_GO_ON;
  do {  // again, if a second ended meanwhile
    second = dataplane::FlowSweeper::now();
    path_->set_new_flows(10);
    out = send(kSyn).outcome;
  } while (dataplane::FlowSweeper::now() != second);
  EXPECT_EQ(out, RP_pass_ttl);
}

}  // namespace
}  // namespace rampart::bpf_test
