// SPDX-License-Identifier: Apache-2.0
// The second entry says what the first would do, and does nothing.
#include <gmock/gmock.h>
#include <sched.h>

#include <random>
#include <thread>

#include "bpf/explaining.h"
#include "bpf/flow_word.h"
#include "bpf/packet_path.h"

namespace rampart::bpf_test {
namespace {

constexpr rp_algorithm kAlgorithms[] = {RP_ROUNDROBIN, RP_CHASH};
const Limits kLimits = {.flows = 64, .new_flow_limit_per_cpu = 0};

class Explain : public PacketPathTest {
 protected:
  // Explains, sees that nothing changed, sends the packet, and sees that it does just that.
  rp_explanation explain_and_send(const Packet& packet) {
    const uint32_t second = dataplane::FlowSweeper::now();
    const auto before = explaining_->contents();
    const rp_explanation said = explaining_->ask(packet);
    for (const auto& [name, bytes] : explaining_->contents()) {
      EXPECT_EQ(bytes, before.at(name)) << name << " changed";
    }
    EXPECT_FALSE(path_->pop_unresolved());
    const Handled done = path_->run(packet);
    if (dataplane::FlowSweeper::now() != second) return said;  // another second, another answer
    // The two entries of a nat flow may want the one place that their bucket has left; an explanation
    // takes none, and so finds it twice.
    if (said.outcome == RP_forward_tx && done.outcome == RP_drop_table_full) return said;
    EXPECT_STREQ(name_of(static_cast<rp_outcome>(said.outcome)), name_of(done.outcome));
    EXPECT_EQ(said.vip, done.vip);
    if (chosen(done) != 0) {
      EXPECT_EQ(said.backend, chosen(done));
    }
    return said;
  }

  void begin(const Limits& limits = kLimits) {
    ASSERT_TRUE(load(limits));
    explaining_.reset();
  }
  void load_explaining() { explaining_ = std::make_unique<Explaining>(*path_); }

  std::unique_ptr<Explaining> explaining_;
  Packet packet_;
};

TEST_F(Explain, SaysWhatAPacketThenDoesAndChangesNothing) {
  std::mt19937 random(20261130);
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  for (int round = 0; round < 8; ++round) {
    begin({.flows = 64, .new_flow_limit_per_cpu = below(3) == 0 ? 20u : 0u});
    const Vip vip = {.algorithm = kAlgorithms[round % 2]};
    const Vip udp = {.number = 2, .protocol = IPPROTO_UDP, .algorithm = kAlgorithms[below(2)]};
    const std::vector<Backend> nodes = {{.id = 1}, {.id = 2, .address = "192.0.2.2"}};
    const std::vector<Backend> more = {{.id = 3}, {.id = 4, .address = "192.0.2.2"}};
    const bool nat = round % 4 >= 2;
    nat ? serve_nat(vip, nodes) : serve(vip, nodes);
    nat ? serve_nat(udp, more) : serve(udp, more);
    load_explaining();
    for (int packet = 0; packet < 100; ++packet) {
      constexpr uint8_t kFlags[] = {kSyn, kAck, kPsh | kAck, kFin | kAck, kRst, kSyn};
      packet_.protocol = below(3) == 0 ? IPPROTO_UDP : IPPROTO_TCP;
      packet_.flags = packet_.protocol == IPPROTO_UDP ? 0 : kFlags[below(6)];
      packet_.payload = below(2) == 0 ? "data" : "";
      packet_.source_port = static_cast<uint16_t>(1000 + below(80));
      packet_.ttl = below(20) == 0 ? 1 : 64;
      explain_and_send(packet_);
      if (below(4) == 0 && path_->flow(packet_.key())) {
        path_->age_flow(packet_.key(), below(2) == 0 ? kTimeoutSyn + 5 : 3);
      }
      if (below(10) == 0) path_->set_flows_move(1 + below(4), below(2) == 0);
      if (below(40) == 0)
        path_->fill(vip, below(3) == 0 ? std::vector<uint32_t>{} : std::vector<uint32_t>{1, 2});
    }
  }
}

TEST_F(Explain, NamesTheStepsTaken) {
  begin({.flows = 4096, .new_flow_limit_per_cpu = 2});
  serve({}, {{.id = 1}, {.id = 2}});
  load_explaining();
  packet_.flags = kSyn;
  EXPECT_EQ(explain_and_send(packet_).why, 0u);
  const rp_explanation kept = explain_and_send(packet_);
  EXPECT_EQ(kept.why, uint32_t{RP_WHY_LIVE});
  EXPECT_EQ(word_state(kept.word), uint32_t{RP_FLOW_SYN});
  path_->age_flow(packet_.key(), kTimeoutSyn);
  EXPECT_EQ(explain_and_send(packet_).why, uint32_t{RP_WHY_DEAD});
  packet_.source_port++;
  packet_.flags = kAck;
  EXPECT_EQ(explain_and_send(packet_).why, uint32_t{RP_WHY_BY_HASH});
  packet_.source_port++;
  path_->set_new_flows(1000);
  EXPECT_EQ(explaining_->ask(packet_).why, uint32_t{RP_WHY_BY_HASH | RP_WHY_LIMITED});
}

TEST_F(Explain, SaysThatNoFlowGivesWay) {
  begin();
  serve({}, {{.id = 1}});
  load_explaining();
  const uint64_t word = make_word(1, 1, RP_FLOW_ESTABLISHED, dataplane::FlowSweeper::now());
  for (const uint32_t place : path_->candidates(packet_.key())) path_->write_entry(place, 1, word);
  packet_.flags = kSyn;
  EXPECT_EQ(explain_and_send(packet_).why, uint32_t{RP_WHY_BY_HASH | RP_WHY_FULL});
}

TEST_F(Explain, SaysThatNoReplyEntryCanBeMade) {  // F8, F11
  begin();
  serve_nat({}, {{.id = 1}});
  load_explaining();
  Packet reply = packet_;
  reply.source = "192.0.2.1";
  reply.source_port = 8080;
  reply.destination = packet_.source;
  reply.destination_port = packet_.source_port;
  const uint64_t word = make_word(1, 1, RP_FLOW_ESTABLISHED, dataplane::FlowSweeper::now());
  for (const uint32_t place : path_->candidates(reply.key())) path_->write_entry(place, 1, word);
  const rp_explanation said = explain_and_send(packet_);
  EXPECT_EQ(said.outcome, uint32_t{RP_drop_table_full});
  EXPECT_EQ(said.why, uint32_t{RP_WHY_FULL});
}

TEST_F(Explain, NamesTheSlotThatNamesTheBackend) {
  begin();
  const Vip vip = {.algorithm = RP_CHASH};
  serve(vip, {{.id = 1}, {.id = 2}});
  path_->fill(vip, {1});
  load_explaining();
  for (packet_.source_port = 1000; packet_.source_port < 1005; ++packet_.source_port) {
    const rp_explanation said = explaining_->ask(packet_);
    EXPECT_EQ(said.backend, 1u);
    path_->set_slot(vip.number, said.slot, 2);
    EXPECT_EQ(explaining_->ask(packet_).backend, 2u);
    path_->set_slot(vip.number, said.slot, 1);
  }
}

TEST_F(Explain, NamesTheCpuThatWasAsked) {
  begin();
  serve({}, {{.id = 1}});
  load_explaining();
  for (uint32_t cpu = 0; cpu < 2; ++cpu) {
    std::thread([&] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      if (sched_setaffinity(0, sizeof one, &one) != 0) return;
      EXPECT_EQ(explaining_->ask(packet_).cpu, cpu);
    }).join();
  }
}

TEST_F(Explain, ResetsNobody) {  // W3
  begin();
  serve({.on_no_backend = RP_NO_BACKEND_RESET}, {});
  serve({.number = 2, .protocol = IPPROTO_UDP, .on_no_backend = RP_NO_BACKEND_RESET}, {});
  load_explaining();
  EXPECT_EQ(explain_and_send(packet_).outcome, uint32_t{RP_reset_tx});
  packet_.protocol = IPPROTO_UDP;
  EXPECT_EQ(explain_and_send(packet_).outcome, uint32_t{RP_reset_tx});
}

TEST_F(Explain, SaysThatANodeWasPassedOver) {  // F11
  begin();
  const Vip second = {.number = 2, .address = "203.0.113.2"};
  const auto nodes = [](uint32_t first) {
    return std::vector<Backend>{{.id = first}, {.id = first + 1, .address = "192.0.2.2"}};
  };
  serve_nat({}, nodes(1));
  serve_nat(second, nodes(3));
  path_->fill({}, {1});
  path_->fill(second, {3, 4});
  load_explaining();
  packet_.flags = kSyn;
  std::vector<uint32_t> whys;
  for (const char* address :
       {"10.0.0.1", "10.0.0.2"}) {  // one of them has its turn at node 1's slot
    packet_.source = address;
    packet_.destination = Vip().address;
    path_->run(packet_);
    packet_.destination = second.address;
    const rp_explanation said = explain_and_send(packet_);
    EXPECT_EQ(said.backend, 4u);
    whys.push_back(said.why);
  }
  EXPECT_THAT(whys, testing::UnorderedElementsAre(0u, uint32_t{RP_WHY_WALKED_ON}));
}

}  // namespace
}  // namespace rampart::bpf_test
