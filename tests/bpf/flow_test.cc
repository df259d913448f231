// SPDX-License-Identifier: Apache-2.0
// Flows in l2: who keeps a backend, who chooses anew, and what is counted.
#include <set>

#include "bpf/flow_word.h"
#include "bpf/packet_path.h"

namespace rampart::bpf_test {
namespace {

const Vip kVip;
const Vip kUdpVip = {.number = 2, .protocol = IPPROTO_UDP};

class Flow : public PacketPathTest {
 protected:
  void SetUp() override {
    PacketPathTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    serve(kVip, {{.id = 1}, {.id = 2}});
    serve(kUdpVip, {{.id = 3}, {.id = 4}});
  }

  // A packet of the one client's flow.
  Handled send(uint8_t flags, const std::string& payload = "") {
    packet_.flags = flags;
    packet_.payload = payload;
    return path_->run(packet_);
  }

  // Flows that do not give way hold every entry that the packet's could have.
  void fill_candidates(const Packet& packet) {
    const uint64_t word = make_word(3, 1, RP_FLOW_ESTABLISHED, dataplane::FlowSweeper::now());
    path_->set_backend_state(3, 1, RP_BACKEND_SERVING);
    for (const uint32_t place : path_->candidates(packet.key())) path_->write_entry(place, 1, word);
  }

  uint32_t state() const { return state_of(path_->flow(packet_.key()).value()); }

  // Flows opened and closed over all backends.
  uint64_t opened() const {
    uint64_t sum = 0;
    for (uint32_t id = 1; id <= 4; ++id) sum += path_->count(id).opened;
    return sum;
  }
  uint64_t closed() const {
    uint64_t sum = 0;
    for (uint32_t id = 1; id <= 4; ++id) sum += path_->count(id).closed;
    return sum;
  }

  void be_udp() {
    packet_.protocol = IPPROTO_UDP;
    packet_.flags = 0;
  }

  Packet packet_;
};

TEST_F(Flow, KeepsItsBackendWhateverTheTableSays) {  // F1
  const uint32_t first = chosen(send(kSyn));
  const uint32_t other = 3 - first;
  path_->fill(kVip, {other});
  EXPECT_EQ(chosen(send(kAck)), first);
  EXPECT_EQ(chosen(send(kAck, "data")), first);
  packet_.source_port++;
  EXPECT_EQ(chosen(send(kSyn)), other);
}

TEST_F(Flow, ARetransmittedSynGetsTheSameBackend) {  // F2
  const uint32_t first = chosen(send(kSyn));
  for (int again = 0; again < 5; ++again) EXPECT_EQ(chosen(send(kSyn)), first);
  EXPECT_EQ(opened(), 1u);
  EXPECT_EQ(state(), uint32_t{RP_FLOW_SYN});
}

TEST_F(Flow, ASynOnALiveFlowKeepsIt) {  // F2
  const uint32_t first = chosen(send(kSyn));
  send(kAck);
  EXPECT_EQ(chosen(send(kSyn)), first);
  EXPECT_EQ(state(), uint32_t{RP_FLOW_ESTABLISHED});
  EXPECT_EQ(opened(), 1u);
}

TEST_F(Flow, ASynOnAClosingFlowChoosesAnew) {  // F2
  const uint32_t first = chosen(send(kSyn));
  send(kAck);
  send(kRst);
  ASSERT_EQ(state(), uint32_t{RP_FLOW_CLOSING});
  EXPECT_EQ(chosen(send(kSyn)), 3 - first);  // the next slot of the walk is the other's
  EXPECT_EQ(state(), uint32_t{RP_FLOW_SYN});
  EXPECT_EQ(path_->flows(), 1u);
  EXPECT_EQ(path_->active(first), 0u);
  EXPECT_EQ(path_->active(3 - first), 1u);
  EXPECT_EQ(opened(), 2u);
  EXPECT_EQ(closed(), 1u);
}

TEST_F(Flow, AStaleFlowChoosesAnew) {  // F3
  const uint32_t first = chosen(send(kSyn));
  path_->fill(kVip, {3 - first});
  path_->set_backend_state(first, 1, RP_BACKEND_FREE);
  EXPECT_EQ(chosen(send(kAck)), 3 - first);
  EXPECT_EQ(path_->active(first), 0u);
  EXPECT_EQ(path_->active(3 - first), 1u);
  EXPECT_EQ(closed(), 1u);
}

TEST_F(Flow, AnotherIncarnationOfTheIdIsNotTheFlowsBackend) {  // F3, B5
  const uint32_t first = chosen(send(kSyn));
  path_->fill(kVip, {3 - first});
  path_->set_backend_state(first, 2, RP_BACKEND_SERVING);
  EXPECT_EQ(chosen(send(kAck)), 3 - first);
  EXPECT_EQ(path_->count(first).closed, 0u);  // the count index is another's by now
}

TEST_F(Flow, ADrainingBackendKeepsItsFlows) {  // F5
  const uint32_t first = chosen(send(kSyn));
  path_->fill(kVip, {3 - first});
  path_->set_backend_state(first, 1, RP_BACKEND_DRAINING);
  EXPECT_EQ(chosen(send(kAck)), first);
  send(kFin | kAck);
  EXPECT_EQ(path_->active(first), 0u);
}

TEST_F(Flow, ASynOnALiveFlowOfADrainingBackendKeepsIt) {  // F2, F5
  const uint32_t first = chosen(send(kSyn));
  path_->fill(kVip, {3 - first});
  path_->set_backend_state(first, 1, RP_BACKEND_DRAINING);
  EXPECT_EQ(chosen(send(kSyn)), first);
  send(kAck);
  EXPECT_EQ(chosen(send(kSyn)), first);
  send(kRst);
  EXPECT_EQ(chosen(send(kSyn)), 3 - first);  // a new flow
}

TEST_F(Flow, AFlowLeavesABackendThatIsDownWhereTheDaemonSaysSo) {  // F3
  for (const Vip& vip : {kVip, kUdpVip}) {
    const uint8_t first_flags = vip.protocol == IPPROTO_TCP ? kSyn : 0;
    const uint8_t next_flags = vip.protocol == IPPROTO_TCP ? kAck : 0;
    packet_.protocol = vip.protocol;
    const uint32_t first = chosen(send(first_flags));
    const uint32_t other = vip.protocol == IPPROTO_TCP ? 3 - first : 7 - first;
    path_->fill(vip, {other});
    EXPECT_EQ(chosen(send(next_flags)), first);
    path_->set_flows_move(first, true);
    EXPECT_EQ(chosen(send(next_flags)), other);
    EXPECT_EQ(path_->active(first), 0u);
    EXPECT_EQ(path_->active(other), 1u);
    path_->set_flows_move(first, false);
    EXPECT_EQ(chosen(send(next_flags)), other);  // and does not come back
  }
  EXPECT_EQ(path_->flows(), 2u);
}

TEST_F(Flow, AFlowThatHasNowhereToGoIsBackOnceItsBackendIs) {  // F3, W3
  be_udp();
  const uint32_t id = chosen(send(0));
  path_->fill(kUdpVip, {});
  path_->set_flows_move(id, true);
  EXPECT_EQ(send(0).outcome, RP_drop_no_backend);
  EXPECT_EQ(path_->active(id), 1u);
  path_->set_flows_move(id, false);
  EXPECT_EQ(chosen(send(0)), id);
  EXPECT_EQ(opened(), 1u);
}

TEST_F(Flow, AMidStreamPacketGoesByHashAndIsRemembered) {  // F4
  for (packet_.source_port = 1000; packet_.source_port < 1050; ++packet_.source_port) {
    const uint32_t by_hash = chosen(send(kAck, "data"));
    // One packet holds its entry no longer than a SYN does; the next one establishes the flow.
    EXPECT_EQ(state(), uint32_t{RP_FLOW_SYN});
    EXPECT_EQ(chosen(send(kAck)), by_hash);
    EXPECT_EQ(state(), uint32_t{RP_FLOW_ESTABLISHED});
    path_->age_flow(packet_.key(), kTimeoutEstablished);
    path_->sweep();
    ASSERT_FALSE(path_->flow(packet_.key()));
    Packet other = packet_;
    other.flags = kSyn;
    for (other.source_port = 1; other.source_port <= 2; ++other.source_port) {
      path_->run(other);  // a new flow moves the cursor
      path_->age_flow(other.key(), kTimeoutSyn);
    }
    EXPECT_EQ(chosen(send(kAck)), by_hash);
    path_->fill(kVip, {by_hash == 1 ? 2u : 1u});
    EXPECT_EQ(chosen(send(kAck)), by_hash);  // its entry holds it
    path_->fill(kVip, {1, 2});
  }
}

TEST_F(Flow, AMidStreamPacketGoesByItsTupleWhereNothingIsHashedOn) {  // F4
  rp_vip_state roundrobin = path_->vip_state(1);
  roundrobin.hash_on = RP_HASH_SOURCE_IP;
  path_->set_vip_state(1, roundrobin);
  std::set<uint32_t> backends;
  for (packet_.source_port = 1000; packet_.source_port < 1020; ++packet_.source_port) {
    backends.insert(chosen(send(kAck)));
  }
  EXPECT_EQ(backends, (std::set<uint32_t>{1, 2}));
}

TEST_F(Flow, ChashFindsTheSameBackendWithAndWithoutAnEntry) {  // F4
  for (const rp_hash_on hash_on : {RP_HASH_5TUPLE, RP_HASH_SOURCE_IP}) {
    rp_vip_state state = path_->vip_state(1);
    state.algorithm = RP_CHASH;
    state.hash_on = hash_on;
    path_->set_vip_state(1, state);
    for (packet_.source_port = 1000; packet_.source_port < 1020; ++packet_.source_port) {
      const uint32_t by_syn = chosen(send(kSyn));
      path_->age_flow(packet_.key(), kTimeoutSyn);
      path_->sweep();
      EXPECT_EQ(chosen(send(kAck)), by_syn);
      path_->age_flow(packet_.key(), kTimeoutEstablished);
      path_->sweep();
    }
  }
}

TEST_F(Flow, OneFlowIsCountedOnceFromItsFirstPacketToItsLast) {  // F6
  const uint32_t id = chosen(send(kSyn));
  send(kAck);
  send(kPsh | kAck, "data");
  EXPECT_EQ(path_->active(id), 1u);
  send(kFin | kAck);
  EXPECT_EQ(path_->active(id), 0u);
  send(kFin | kAck);  // retransmitted
  send(kAck);
  send(kRst);
  send(kRst);
  EXPECT_EQ(opened(), 1u);
  EXPECT_EQ(closed(), 1u);
}

struct Ending {
  const char* what;
  uint8_t flags;
};

TEST_F(Flow, TheClientsFinAndItsRstBothGiveTheCountBack) {  // F6
  for (const Ending& end :
       {Ending{"FIN", kFin | kAck}, Ending{"RST", kRst}, Ending{"RST with ACK", kRst | kAck},
        Ending{"FIN with RST", kFin | kRst}}) {
    packet_.source_port++;
    const uint64_t before = closed();
    const uint32_t id = chosen(send(kSyn));
    send(kAck);
    EXPECT_EQ(chosen(send(end.flags)), id) << end.what;
    EXPECT_EQ(state(), uint32_t{RP_FLOW_CLOSING}) << end.what;
    EXPECT_EQ(closed(), before + 1) << end.what;
  }
}

TEST_F(Flow, AClosingFlowRemembersItsBackend) {  // F6
  const uint32_t id = chosen(send(kSyn));
  send(kFin | kAck);
  path_->fill(kVip, {3 - id});
  EXPECT_EQ(chosen(send(kAck)), id);  // half closed: the client still acknowledges
  EXPECT_EQ(state(), uint32_t{RP_FLOW_CLOSING});
  EXPECT_EQ(opened(), 1u);
}

TEST_F(Flow, DataAfterALoneRstOrFinMakesItLiveAgainOnce) {  // F6
  for (const uint8_t end : {kRst, kFin}) {
    packet_.source_port++;
    const uint32_t id = chosen(send(kSyn));
    const uint64_t active = path_->active(id);
    send(kAck);
    send(end);
    EXPECT_EQ(path_->active(id), active - 1);
    EXPECT_EQ(chosen(send(kAck, "data")), id);
    EXPECT_EQ(state(), uint32_t{RP_FLOW_ESTABLISHED});
    EXPECT_EQ(path_->active(id), active);
    send(end);
    EXPECT_EQ(path_->active(id), active - 1);
    EXPECT_EQ(chosen(send(kAck, "data")), id);
    EXPECT_EQ(state(), uint32_t{RP_FLOW_CLOSING});
    EXPECT_EQ(path_->active(id), active - 1);
  }
}

TEST_F(Flow, EachRevivalIsCounted) {  // F6
  for (uint64_t revived = 1; revived <= 3; ++revived) {
    packet_.source_port++;
    send(kSyn);
    send(kRst);
    EXPECT_EQ(path_->flow_stats().revived, revived - 1);
    send(kAck, "data");
    EXPECT_EQ(path_->flow_stats().revived, revived);
    send(kAck, "more");
    send(kRst);
    send(kAck, "data");  // once
    EXPECT_EQ(path_->flow_stats().revived, revived);
  }
}

TEST_F(Flow, ARetransmittedFinWithDataRevivesNothing) {  // F6
  send(kSyn);
  send(kFin | kAck, "last");
  send(kFin | kAck, "last");
  EXPECT_EQ(state(), uint32_t{RP_FLOW_CLOSING});
  EXPECT_EQ(opened(), 1u);
}

TEST_F(Flow, AFlowThatBeginsWithItsEndIsCountedOnce) {  // F6
  send(kRst);
  EXPECT_EQ(state(), uint32_t{RP_FLOW_CLOSING});
  EXPECT_EQ(opened(), 1u);
  EXPECT_EQ(closed(), 1u);
}

TEST_F(Flow, AUdpFlowIsOneFromItsFirstDatagram) {  // F1, F6
  be_udp();
  const uint32_t id = chosen(send(0, "a"));
  for (int again = 0; again < 5; ++again) EXPECT_EQ(chosen(send(0, "b")), id);
  EXPECT_EQ(state(), uint32_t{RP_FLOW_UDP});
  EXPECT_EQ(opened(), 1u);
}

TEST_F(Flow, IdsOfOneNodeShareTheirCount) {  // B2
  rp_backend second = path_->backend(3);
  second.count_index = path_->backend(1).count_index;
  path_->set_backend(3, second);
  path_->fill(kVip, {1});
  path_->fill(kUdpVip, {3});
  send(kSyn);
  be_udp();
  send(0);
  EXPECT_EQ(path_->count(1).opened, 2u);
}

TEST_F(Flow, AnIdGivesBackToTheCountOfItsNode) {  // B2, L5
  rp_backend other = path_->backend(2);
  other.count_index = path_->backend(1).count_index;
  path_->set_backend(2, other);
  path_->fill(kVip, {2});
  send(kSyn);
  send(kRst);
  EXPECT_EQ(path_->count(1).opened, 1u);
  EXPECT_EQ(path_->count(1).closed, 1u);
  EXPECT_EQ(path_->count(2).closed, 0u);
}

// The address is served again under another number: by the ids that it had (B1).
TEST_F(Flow, AVipThatComesBackKeepsItsFlows) {  // F1
  const uint32_t live = chosen(send(kSyn));
  Packet dead = packet_;
  dead.source_port++;
  path_->run(dead);
  path_->age_flow(dead.key(), kTimeoutSyn);

  Vip again = kVip;
  again.number = 5;
  path_->remove_key(kVip);
  path_->set_vip_state(kVip.number, rp_vip_state{});
  path_->add(again);
  for (const uint32_t id : {1u, 2u}) {
    rp_backend backend = path_->backend(id);
    backend.vip = again.number;
    path_->set_backend(id, backend);
  }
  path_->fill(again, {3 - live});

  EXPECT_EQ(chosen(send(kAck)), live);
  EXPECT_EQ(chosen(path_->run(dead)), 3 - live);
  EXPECT_EQ(path_->sweep().removed, 0u);
}

TEST_F(Flow, AFullTableSendsByHashAndCountsNothing) {  // F8
  fill_candidates(packet_);
  for (int i = 0; i < 10; ++i) {
    const Handled syn = send(kSyn);
    EXPECT_EQ(syn.outcome, RP_forward_tx);
    EXPECT_EQ(chosen(send(kAck, "data")), chosen(syn));  // the same without memory
  }
  EXPECT_FALSE(path_->flow(packet_.key()));
  EXPECT_EQ(opened(), 0u);
  EXPECT_EQ(path_->flow_stats().refused, 20u);
}

TEST_F(Flow, AFlowLiesInEitherOfItsBuckets) {  // F1
  const std::vector<uint32_t> places = path_->candidates(packet_.key());
  for (const uint32_t place : places) {
    ASSERT_TRUE(load());
    serve(kVip, {{.id = 1}, {.id = 2}});
    const uint32_t now = dataplane::FlowSweeper::now();
    path_->write_entry(place, path_->tag(packet_.key()), make_word(2, 1, RP_FLOW_ESTABLISHED, now));
    EXPECT_EQ(chosen(send(kAck)), 2u);
    path_->fill(kVip, {1});
    EXPECT_EQ(chosen(send(kAck)), 2u);
  }
}

// A CPU was stopped while it made the flow's entry.
TEST_F(Flow, AMakerThatStoppedDoesNotKeepTheFlowFromItsEntry) {  // F1
  const uint32_t now = dataplane::FlowSweeper::now();
  const std::vector<uint32_t> places = path_->candidates(packet_.key());
  const uint64_t another = path_->tag(packet_.key()) + 1;
  const uint64_t stopped = making_word(7, RP_FLOW_NAMED, now);
  path_->write_entry(places[0], path_->tag(packet_.key()), stopped);
  path_->write_entry(places[1], another, stopped);
  const uint32_t id = chosen(send(kSyn));
  ASSERT_TRUE(path_->flow(packet_.key()));
  EXPECT_EQ(backend_of(*path_->flow(packet_.key())), id);
  EXPECT_EQ(opened(), 1u);
  EXPECT_EQ(closed(), 0u);
  EXPECT_EQ(path_->flows(), 2u);
  EXPECT_EQ(path_->table().word(places[1]), stopped);  // another flow's maker is left alone
}

TEST_F(Flow, TheEmptierBucketIsTaken) {
  const std::vector<uint32_t> places = path_->candidates(packet_.key());
  const uint64_t other = make_word(1, 1, RP_FLOW_ESTABLISHED, dataplane::FlowSweeper::now());
  path_->write_entry(places[0], 1, other);
  send(kSyn);
  const uint32_t place = path_->flow(packet_.key())->place;
  EXPECT_GE(std::find(places.begin(), places.end(), place) - places.begin(), RP_BUCKET_FLOWS);
}

TEST_F(Flow, AboveTheLimitNoEntriesAreMade) {  // F9
  ASSERT_TRUE(load({.new_flow_limit_per_cpu = 10}));
  serve(kVip, {{.id = 1}, {.id = 2}});
  uint32_t second = 0;
  do {  // again, if a second ended meanwhile
    second = dataplane::FlowSweeper::now();
    path_->set_new_flows(8);
    for (int more = 0; more < 5; ++more) {
      ++packet_.source_port;
      const Handled run = send(kSyn);
      EXPECT_EQ(run.outcome, RP_forward_tx);
      const bool is_made = path_->flow(packet_.key()).has_value();
      EXPECT_TRUE(dataplane::FlowSweeper::now() != second || is_made == (more < 2));
    }
  } while (dataplane::FlowSweeper::now() != second);
}

TEST_F(Flow, TheLimitIsOfOneSecond) {  // F9
  ASSERT_TRUE(load({.new_flow_limit_per_cpu = 10}));
  serve(kVip, {{.id = 1}});
  path_->set_new_flows(1000, 1);
  send(kSyn);
  EXPECT_TRUE(path_->flow(packet_.key()));
}

TEST_F(Flow, TheLimitDoesNotTouchFlowsThatHaveAnEntry) {  // F9
  ASSERT_TRUE(load({.new_flow_limit_per_cpu = 1}));
  serve(kVip, {{.id = 1}, {.id = 2}});
  const uint32_t id = chosen(send(kSyn));
  path_->fill(kVip, {3 - id});
  for (int more = 0; more < 5; ++more) EXPECT_EQ(chosen(send(kAck)), id);
  path_->set_new_flows(1);
  send(kRst);
  EXPECT_EQ(chosen(send(kSyn)), 3 - id);  // takes the closing flow's entry: none is made
  EXPECT_EQ(chosen(send(kAck)), 3 - id);
  EXPECT_EQ(path_->active(3 - id), 1u);
}

}  // namespace
}  // namespace rampart::bpf_test
