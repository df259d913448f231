// SPDX-License-Identifier: Apache-2.0
// Random histories of flows on two CPUs at once, in l2 and nat, against a model (flow_model.h): SYNs and
// their retransmits, data, FIN and RST from either side, data after them, silence, a tuple used again;
// in a full table flows that give way; now and then a daemon and a program that are loaded anew over the
// same maps. After each packet the flow is at the backend where the model has it, and in its state; after
// all of them the counts are the model's, to one, and an audit finds nothing to correct.
//
// RAMPART_HISTORIES sets their number.
#include <sched.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "bpf/flow_model.h"
#include "bpf/flow_word.h"
#include "bpf/packet_path.h"
#include "bpf/wires.h"

namespace rampart::bpf_test {
namespace {

constexpr int kCpus = 2;
constexpr int kHistoriesUnlessTold = 40000;
constexpr uint32_t kPorts = 256;    // of a client and VIP: tuples that are used again and again
constexpr uint32_t kBackends = 4;   // two for each VIP
constexpr uint32_t kRoomy = 65536;  // entries: more than there are tuples
constexpr uint32_t kTight = 512;    // fewer: 1,024 own entries and 512 for replies are wanted
const Vip kVip;
const Vip kNatVip = {.number = 2, .address = "203.0.113.2"};

uint32_t now() {
  return dataplane::FlowSweeper::now();
}

const rp_vip_state kTimeouts = [] {
  rp_vip_state vip = {};
  vip.timeout_syn = kTimeoutSyn;
  vip.timeout_established = kTimeoutEstablished;
  vip.timeout_closing = kTimeoutClosing;
  return vip;
}();

// What is seen of a flow in the table, unless it is expired.
struct Entry {
  uint32_t place = 0;
  uint64_t word = 0;
};

// One CPU's player, with tuples of its own.
class Player {
 public:
  Player(PacketPath& path, int cpu, const Wires& wires, bool is_tight)
      : path_(path), cpu_(cpu), wires_(wires), is_tight_(is_tight), random_(0x5eed + cpu) {
    for (uint32_t i = 0; i < flows_.size(); ++i) {
      flows_[i].seen = i < kPorts ? Seen::kOneWay : Seen::kBothWays;
    }
  }

  // Returns what is wrong, or nothing.
  std::string play(int histories) {
    for (int history = 0; history < histories; ++history) {
      const uint32_t index = one_of(flows_.size());
      for (uint32_t step = 1 + one_of(8); step > 0; --step) {
        const std::string wrong = this->step(index);
        if (!wrong.empty()) return wrong + " in history " + std::to_string(history);
      }
    }
    return "";
  }

  // Adds the flows that hold a count, by backend.
  void add_held(std::array<int64_t, kBackends + 1>& held) const {
    for (const FlowModel& flow : flows_) {
      if (flow.counts() && !is_gone(flow)) ++held[flow.backend];
    }
  }

 private:
  uint32_t one_of(size_t n) { return static_cast<uint32_t>(random_() % n); }

  Packet packet_of(uint32_t index) const {
    Packet packet;
    packet.source = "198.51.100.7";
    packet.source_port =
        static_cast<uint16_t>(2000 + static_cast<uint32_t>(cpu_) * kPorts + index % kPorts);
    packet.destination = index < kPorts ? kVip.address : kNatVip.address;
    return packet;
  }
  // What the backend answers to it.
  static Packet reply_to(const Packet& packet, uint32_t backend) {
    Packet reply = packet;
    reply.source = "192.0.2." + std::to_string(backend);
    reply.source_port = 8080;
    reply.destination = packet.source;
    reply.destination_port = packet.source_port;
    return reply;
  }

  std::optional<Entry> entry(const rp_tuple& tuple) const {
    const uint64_t its_tag = path_.tag(tuple);
    for (const uint32_t place : path_.candidates(tuple)) {
      const uint64_t word = path_.table().word(place);
      if (path_.table().tag(place) != its_tag || !holds_flow(word)) continue;
      if (!is_expired(word, &kTimeouts, now())) return Entry{place, word};
    }
    return std::nullopt;
  }
  // Did the flow give way while others played?
  bool is_gone(const FlowModel& flow) const {
    const auto index = static_cast<uint32_t>(&flow - flows_.data());
    return may_be_gone(flow) && !entry(packet_of(index).key());
  }

  // Puts the last packet of a flow, both its entries, so many seconds back.
  void age(const Packet& packet, FlowModel& flow, uint32_t seconds) {
    for (const rp_tuple& tuple : {packet.key(), reply_to(packet, flow.backend).key()}) {
      const auto there = entry(tuple);
      if (there)
        path_.table().swap(there->place, there->word, with_seen(there->word, now() - seconds));
    }
    flow.last = now() - seconds;
  }
  static uint32_t timeout_of(const FlowModel& flow) {
    if (flow.state == FlowModel::kBegun) return kTimeoutSyn;
    return flow.state == FlowModel::kEstablished ? kTimeoutEstablished : kTimeoutClosing;
  }

  std::string step(uint32_t index) {
    FlowModel& flow = flows_[index];
    Packet packet = packet_of(index);
    if (flow.state != FlowModel::kNone && one_of(12) == 0) {
      age(packet, flow, timeout_of(flow));  // F7
      flow = nothing(flow);
    } else if (is_tight_ && flow.state != FlowModel::kNone && one_of(4) == 0) {
      age(packet, flow, 3);
    }
    const bool answers =
        flow.seen == Seen::kBothWays && flow.state != FlowModel::kNone && one_of(3) == 0;
    constexpr uint8_t kFlags[] = {kSyn, kSyn, kAck, kAck, kAck, kAck | kFin, kRst, kRst | kAck};
    packet.flags = kFlags[answers ? 2 + one_of(6) : one_of(8)];
    packet.payload = packet.flags == kAck && one_of(2) == 0 ? "data" : "";
    const Segment segment = {.syn = (packet.flags & kSyn) != 0,
                             .fin = (packet.flags & kFin) != 0,
                             .rst = (packet.flags & kRst) != 0,
                             .data = !packet.payload.empty()};
    return answers ? from_backend(flow, packet, segment) : from_client(flow, packet, segment);
  }

  std::string from_client(FlowModel& flow, const Packet& packet, const Segment& segment) {
    const Handled run = path_.run_raw(packet.to_bytes());
    const uint32_t to = run.verdict == XDP_TX ? run.frame.at(5) : 0;
    const auto there = entry(packet.key());
    if (!flow.begins_with(segment)) {
      if (to == flow.backend && becomes(flow, flow.after_client(segment, now()), there)) return "";
      if (!may_be_gone(flow)) return "a live flow moved, or is in another state";  // F1, F6
      // It gave way just when its packet came.
      if (to == flow.backend && becomes(flow, nothing(flow), there)) return "";
    }
    if (to != 0 && becomes(flow, flow.begun(to, segment, now()), there)) return "";
    // F8: no flow gave way to it; in l2 it went by hash. What closed before is still there.
    const bool went = flow.seen == Seen::kOneWay ? to != 0 : to == 0;
    if (is_tight_ && went && (becomes(flow, nothing(flow), there) || becomes(flow, flow, there))) {
      return "";
    }
    return "a new flow is not as it should be";
  }

  std::string from_backend(FlowModel& flow, const Packet& packet, const Segment& segment) {
    Packet reply = reply_to(packet, flow.backend);
    reply.flags = packet.flags;
    reply.payload = packet.payload;
    path_.run_raw(reply.to_bytes(), wires_.servers());
    const auto there = entry(packet.key());
    if (becomes(flow, flow.after_backend(segment, now()), there)) return "";
    // F8: the entry of its replies gave way, or its own.
    if (is_tight_ && becomes(flow, flow, there)) return "";
    if (may_be_gone(flow) && becomes(flow, nothing(flow), there)) return "";
    return "a flow is not as its backend's answer makes it";
  }

  bool may_be_gone(const FlowModel& flow) const { return is_tight_ && flow.gives_way(now()); }
  static FlowModel nothing(const FlowModel& flow) {
    FlowModel none;
    none.seen = flow.seen;
    return none;
  }

  // Goes on with `next`, if that is what is seen. A packet that changed nothing may not have been
  // seen by the entry, so its second is the entry's.
  static bool becomes(FlowModel& flow, const FlowModel& next, const std::optional<Entry>& there) {
    if (!is_as(next, there)) return false;
    flow = next;
    if (there) flow.last = now() - flow_age(there->word, now());
    return true;
  }

  static bool is_as(const FlowModel& model, const std::optional<Entry>& there) {
    if (!there) return model.state == FlowModel::kNone;
    const uint32_t marks = word_marks(there->word);
    FlowModel seen = model;
    seen.backend = word_backend(there->word);
    seen.revived = (marks & RP_FLOW_REVIVED) != 0;
    seen.client_fin = (marks & RP_FLOW_FIN_CLIENT) != 0;
    seen.backend_fin = (marks & RP_FLOW_FIN_BACKEND) != 0;
    switch (word_state(there->word)) {
      case RP_FLOW_SYN:
        seen.state = FlowModel::kBegun;
        break;
      case RP_FLOW_ESTABLISHED:
        seen.state = FlowModel::kEstablished;
        break;
      default:
        seen.state = FlowModel::kClosing;
    }
    return seen.same_as(model);
  }

  PacketPath& path_;
  const int cpu_;
  const Wires& wires_;
  const bool is_tight_;
  std::mt19937 random_;
  std::array<FlowModel, 2 * kPorts> flows_;
};

class Histories : public PacketPathTest {
 protected:
  static int number() {
    const char* told = std::getenv("RAMPART_HISTORIES");
    return told != nullptr ? std::atoi(told) : kHistoriesUnlessTold;
  }

  void play(uint32_t entries) {
    ASSERT_TRUE(load({.flows = entries}));
    serve(kVip, {{.id = 1}, {.id = 2, .address = "192.0.2.2"}});
    serve_nat(kNatVip, {{.id = 3, .address = "192.0.2.3"}, {.id = 4, .address = "192.0.2.4"}});
    const Wires wires;
    std::vector<std::unique_ptr<Player>> players;
    std::array<std::string, kCpus> wrong;
    std::vector<std::thread> cpus;
    std::atomic<int> playing{kCpus};
    for (int cpu = 0; cpu < kCpus; ++cpu) {
      players.push_back(std::make_unique<Player>(*path_, cpu, wires, entries < kRoomy));
      cpus.emplace_back([&, cpu] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<unsigned>(cpu), &one);
        sched_setaffinity(0, sizeof one, &one);
        wrong[static_cast<size_t>(cpu)] = players[static_cast<size_t>(cpu)]->play(number() / kCpus);
        --playing;
      });
    }
    uint64_t drift = 0;
    for (int passes = 0; playing > 0; ++passes) {
      drift += path_->sweep().drift;  // the daemon's, all the time
      if (passes % kPassesOfALife == 0 && passes < kRestarts * kPassesOfALife) path_->restart();
    }
    for (std::thread& cpu : cpus) cpu.join();
    for (const std::string& one : wrong) EXPECT_EQ(one, "");
    for (uint32_t second = 1; second <= 4; ++second) drift += path_->sweep(second).drift;
    EXPECT_EQ(drift, 0u);
    expect_counts_of(players);
  }

  void expect_counts_of(const std::vector<std::unique_ptr<Player>>& players) {
    std::array<int64_t, kBackends + 1> held = {};
    for (const auto& player : players) player->add_held(held);
    for (uint32_t id = 1; id <= kBackends; ++id) {
      EXPECT_EQ(path_->active(id), static_cast<uint64_t>(held[id])) << "backend " << id;
      EXPECT_GT(path_->count(id).closed, 0u);
    }
  }

 private:
  static constexpr int kRestarts = 5, kPassesOfALife = 20;
};

TEST_F(Histories, CountsAreTheModelsAndNothingDrifts) {  // F1, F2, F6, F7, O1
  play(kRoomy);
  EXPECT_EQ(path_->flow_stats().evicted, 0u);
  EXPECT_EQ(path_->flow_stats().refused, 0u);
}

TEST_F(Histories, SoTheyAreWhereFlowsGiveWay) {  // F8
  play(kTight);
  EXPECT_GT(path_->flow_stats().evicted, 0u);
  EXPECT_GT(path_->flow_stats().refused, 0u);
}

}  // namespace
}  // namespace rampart::bpf_test
