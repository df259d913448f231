// SPDX-License-Identifier: Apache-2.0
// X10: every outcome of the list is produced by at least one case. The cases are data; the test
// walks rampart/outcomes.h and misses none.
#include <linux/bpf.h>

#include <functional>
#include <map>

#include "bpf/flow_word.h"
#include "bpf/packet_path.h"
#include "bpf/wires.h"
#include "rampart/limits.h"

namespace rampart::bpf_test {
namespace {

class Outcomes : public PacketPathTest {
 public:
  using Case = std::function<Handled(Outcomes&)>;
  static std::map<rp_outcome, Case> cases();

  // Outcomes that no packet of a test can have, and why.
  static std::map<rp_outcome, std::string> unreachable() {
    return {
        {RP_drop_no_room,
         "a test's frame always has headroom for an ICMP header, and every answer is shorter than "
         "what is left of the frame"}};
  }

  Handled run(const Packet& packet, uint32_t ingress = kLoopback) {
    return path_->run(packet, ingress);
  }

  Handled run_with(const Vip& vip, std::vector<Backend> backends,
                   rp_forward forward = RP_FORWARD_L2, Packet packet = {}) {
    for (Backend& backend : backends) backend.forward = forward;
    serve(vip, backends);
    return run(packet);
  }

  Handled cut(size_t bytes) {
    serve(Vip{}, {{}});
    Bytes frame = Packet{}.to_bytes();
    frame.resize(bytes);
    return path_->run(frame);
  }

  Handled reply(const std::string& client, bool same_interface) {
    const Wires wires;
    Packet packet;
    packet.source = client;
    run_with(Vip{}, {{}}, RP_FORWARD_NAT, packet);
    std::swap(packet.source, packet.destination);
    packet.source = "192.0.2.1";
    packet.source_port = 8080;
    packet.destination_port = 40000;
    packet.flags = kSyn | kAck;
    return run(packet, same_interface ? wires.client() : wires.servers());
  }

  Handled collide() {
    serve_nat(Vip{}, {{.id = 1}});
    serve_nat({.number = 2, .address = "203.0.113.2"}, {{.id = 2}});
    run(Packet{});
    return run({.destination = "203.0.113.2"});
  }

  Handled answer_above_limit() {
    serve({.on_no_backend = RP_NO_BACKEND_RESET}, {});
    for (;;) {
      const uint32_t second = dataplane::FlowSweeper::now();
      path_->set_answers(RP_MAX_ANSWERS);
      const Handled out = run(Packet{});
      if (dataplane::FlowSweeper::now() == second) return out;
    }
  }

  // Other flows hold all of the table.
  void fill_flow_table() {
    load({.flows = 1});
    path_->add(Backend{.id = 9}, Vip{});
    for (uint32_t place = 0; place < path_->table().places(); ++place) {
      path_->write_entry(place, 1, make_word(9, 1, RP_FLOW_UDP, dataplane::FlowSweeper::now()));
    }
  }

  Handled without_state() {
    serve(Vip{}, {{}});
    path_->set_vip_state(1, rp_vip_state{});
    return run(Packet{});
  }

  using PacketPathTest::load;
};

std::map<rp_outcome, Outcomes::Case> Outcomes::cases() {
  return {
      {RP_pass_not_ipv4, [](Outcomes& t) { return t.run({.ether_type = 0x86dd}); }},
      {RP_pass_unreadable, [](Outcomes& t) { return t.cut(30); }},
      {RP_pass_protocol, [](Outcomes& t) { return t.run({.protocol = IPPROTO_ICMP}); }},
      {RP_pass_fragment, [](Outcomes& t) { return t.run({.fragment = 185}); }},
      {RP_pass_no_vip, [](Outcomes& t) { return t.run({}); }},
      {RP_pass_ttl, [](Outcomes& t) { return t.run_with({}, {{}}, RP_FORWARD_NAT, {.ttl = 1}); }},
      {RP_pass_no_backend,
       [](Outcomes& t) { return t.run_with({.on_no_backend = RP_NO_BACKEND_PASS}, {}); }},
      {RP_forward_tx, [](Outcomes& t) { return t.run_with({}, {{}}); }},
      {RP_forward_redirect, [](Outcomes& t) { return t.run_with({}, {{.out_of = kOtherPort}}); }},
      {RP_reply_tx, [](Outcomes& t) { return t.reply("198.51.100.7", true); }},
      {RP_reply_redirect, [](Outcomes& t) { return t.reply("198.51.100.7", false); }},
      {RP_reset_tx,
       [](Outcomes& t) { return t.run_with({.on_no_backend = RP_NO_BACKEND_RESET}, {}); }},
      {RP_drop_malformed, [](Outcomes& t) { return t.cut(50); }},
      {RP_drop_fragment,
       [](Outcomes& t) { return t.run_with({}, {{}}, RP_FORWARD_L2, {.fragment = 0x2000}); }},
      {RP_drop_no_backend, [](Outcomes& t) { return t.run_with({}, {}); }},
      {RP_drop_unresolved, [](Outcomes& t) { return t.run_with({}, {{.out_of = 0}}); }},
      {RP_drop_reply_unresolved, [](Outcomes& t) { return t.reply("198.51.100.9", false); }},
      {RP_drop_table_full,
       [](Outcomes& t) {
         t.fill_flow_table();
         return t.run_with({}, {{}}, RP_FORWARD_NAT);
       }},
      {RP_drop_nat_collision, [](Outcomes& t) { return t.collide(); }},
      {RP_drop_reset_limited, [](Outcomes& t) { return t.answer_above_limit(); }},
      {RP_drop_no_state, [](Outcomes& t) { return t.without_state(); }},
  };
}

struct Listed {
  rp_outcome outcome;
  uint32_t verdict;
};

const Listed kList[] = {
#define RP_LISTED(code, name, verdict, text) {RP_##name, XDP_##verdict},
    RP_OUTCOMES(RP_LISTED)
#undef RP_LISTED
};

TEST_F(Outcomes, EachOfTheListIsProducedWithItsVerdict) {  // X10
  const auto cases = Outcomes::cases();
  const auto unreachable = Outcomes::unreachable();
  for (const Listed& listed : kList) {
    const char* name = name_of(listed.outcome);
    if (const auto reason = unreachable.find(listed.outcome); reason != unreachable.end()) {
      printf("%s is not produced: %s\n", name, reason->second.c_str());
      continue;
    }
    const auto found = cases.find(listed.outcome);
    ASSERT_NE(found, cases.end()) << name << " has no case";
    ASSERT_TRUE(load());
    const Handled run = found->second(*this);
    EXPECT_EQ(run.outcome, listed.outcome) << "instead of " << name << ": " << name_of(run.outcome);
    EXPECT_EQ(run.verdict, listed.verdict) << name;
  }
}

TEST_F(Outcomes, CodesFitTheirCounters) {
  for (const Listed& listed : kList) EXPECT_LT(int{listed.outcome}, RP_OUTCOME_SLOTS);
}

}  // namespace
}  // namespace rampart::bpf_test
