// SPDX-License-Identifier: Apache-2.0
// Random histories of flows on two CPUs at once, against a model that was written from F1, F2, F6 and F7
// alone: SYNs and their retransmits, data, FIN, RST, data after them, silence, a tuple used again. After
// each packet the flow is at the backend where the model has it; after all of them the counts are the
// model's, to one, and an audit finds nothing to correct.
//
// RAMPART_HISTORIES sets their number.
#include <sched.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

#include "bpf/flow_word.h"
#include "bpf/packet_path.h"

namespace rampart::bpf_test {
namespace {

constexpr int kCpus = 2;
constexpr uint32_t kBackends = 4;
constexpr int kHistoriesUnlessTold = 40000;
const Vip kVip;

uint32_t now() {
  return dataplane::FlowSweeper::now();
}

// What F says of one flow of an l2 VIP.
struct Model {
  enum State { kNone, kBegun, kEstablished, kClosing };
  State state = kNone;
  bool revived = false;
  uint32_t backend = 0;

  bool counts() const { return state == kBegun || state == kEstablished; }
  uint32_t timeout() const {
    if (state == kBegun) return kTimeoutSyn;
    return state == kEstablished ? kTimeoutEstablished : kTimeoutClosing;
  }

  // A packet came, and went to `to`. Returns what is wrong, or nothing.
  std::string packet(uint8_t flags, bool has_data, uint32_t to) {
    const bool is_syn = flags == kSyn;
    const bool is_end = (flags & (kFin | kRst)) != 0;
    if (state == kNone || (state == kClosing && is_syn)) {
      if (to == 0) return "a new flow was not forwarded";
      *this = {.state = is_end ? kClosing : kBegun, .revived = false, .backend = to};
      return "";
    }
    if (to != backend) return "a live flow moved";  // F1
    if (state == kClosing) {
      if (has_data && !is_end && !revived) {
        state = kEstablished;
        revived = true;
      }
    } else if (is_end) {
      state = kClosing;
    } else if (!is_syn) {
      state = kEstablished;
    }
    return "";
  }
};

class Histories : public PacketPathTest {
 protected:
  static int number() {
    const char* told = std::getenv("RAMPART_HISTORIES");
    return told != nullptr ? std::atoi(told) : kHistoriesUnlessTold;
  }

  // The flow was silent for long enough to expire (F7).
  void be_silent(const rp_tuple& tuple, const Model& model) {
    const uint64_t its_tag = path_->tag(tuple);
    for (const uint32_t place : path_->candidates(tuple)) {
      const uint64_t word = path_->table().word(place);
      if (path_->table().tag(place) != its_tag || !holds_flow(word)) continue;
      path_->table().swap(place, word, with_seen(word, now() - model.timeout()));
    }
  }

  // One CPU's histories, of clients of its own. Adds what it leaves counted to `held`.
  std::string play(int cpu, int histories, std::array<std::atomic<int64_t>, kBackends + 1>& held) {
    std::mt19937 random(static_cast<uint32_t>(0x5eed + cpu));
    const auto one_of = [&](uint32_t n) { return random() % n; };
    constexpr int kPorts = 256;  // tuples that are used again and again
    std::array<Model, kPorts> models;
    Packet packet;
    packet.source = "198.51.100." + std::to_string(10 + cpu);
    for (int history = 0; history < histories; ++history) {
      const int port = static_cast<int>(one_of(kPorts));
      packet.source_port = static_cast<uint16_t>(2000 + port);
      Model& model = models[static_cast<size_t>(port)];
      for (uint32_t step = 1 + one_of(8); step > 0; --step) {
        if (one_of(12) == 0 && model.state != Model::kNone) {
          be_silent(packet.key(), model);
          model = {};
        }
        constexpr uint8_t kFlags[] = {kSyn, kSyn, kAck, kAck, kAck, kAck | kFin, kRst, kRst | kAck};
        packet.flags = kFlags[one_of(std::size(kFlags))];
        packet.payload = packet.flags == kAck && one_of(2) == 0 ? "data" : "";
        const Handled run = path_->run_raw(packet.to_bytes());
        const uint32_t to = run.verdict == XDP_TX ? run.frame.at(5) : 0;
        const std::string wrong = model.packet(packet.flags, !packet.payload.empty(), to);
        if (!wrong.empty()) return wrong + " in history " + std::to_string(history);
      }
    }
    for (const Model& model : models) {
      if (model.counts()) ++held[model.backend];
    }
    return "";
  }
};

TEST_F(Histories, CountsAreTheModelsAndNothingDrifts) {  // F1, F2, F6, F7
  ASSERT_TRUE(load({.flows = 65536}));
  serve(kVip, {{.id = 1}, {.id = 2}, {.id = 3}, {.id = 4}});
  std::array<std::atomic<int64_t>, kBackends + 1> held = {};
  std::array<std::string, kCpus> wrong;
  std::vector<std::thread> cpus;
  std::atomic<int> playing{kCpus};
  const int histories = number() / kCpus;
  for (int cpu = 0; cpu < kCpus; ++cpu) {
    cpus.emplace_back([&, cpu] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(static_cast<unsigned>(cpu), &one);
      sched_setaffinity(0, sizeof one, &one);
      wrong[static_cast<size_t>(cpu)] = play(cpu, histories, held);
      --playing;
    });
  }
  uint64_t drift = 0;
  while (playing > 0) drift += path_->sweep().drift;  // the daemon's, all the time
  for (std::thread& cpu : cpus) cpu.join();
  for (const std::string& one : wrong) EXPECT_EQ(one, "");

  for (int pass = 0; pass < 4; ++pass) drift += path_->sweep().drift;
  EXPECT_EQ(drift, 0u);
  for (uint32_t id = 1; id <= kBackends; ++id) {
    EXPECT_EQ(path_->active(id), static_cast<uint64_t>(held[id].load())) << "backend " << id;
    EXPECT_GT(path_->count(id).closed, 0u);
  }
}

}  // namespace
}  // namespace rampart::bpf_test
