// SPDX-License-Identifier: Apache-2.0
// Several CPUs at once: each flow is one flow, and counts come out even.
#include <linux/bpf.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstring>
#include <initializer_list>
#include <thread>

#include "bpf/packet_path.h"

namespace rampart::bpf_test {
namespace {

const Vip kVip;

class Race : public PacketPathTest {
 protected:
  // Runs the packets of each round on each of several threads at the same time.
  template <typename Packets>
  void on_all_cpus(int rounds, Packets packets) {
    constexpr int kThreads = 4;
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        cpu_set_t all;
        memset(&all, 0xff, sizeof(all));
        sched_setaffinity(0, sizeof(all), &all);
        ++ready;
        while (ready < kThreads) std::this_thread::yield();
        for (int round = 1; round <= rounds; ++round) {
          for (const Bytes& packet : packets(round)) path_->run_uncounted(packet);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  static Packet packet(int port, uint8_t flags) {
    Packet packet;
    packet.source_port = static_cast<uint16_t>(port);
    packet.flags = flags;
    return packet;
  }

  // The packets of one flow, by their flags.
  static std::vector<Bytes> flow(int port, std::initializer_list<uint8_t> flags) {
    std::vector<Bytes> out;
    for (const uint8_t each : flags) out.push_back(packet(port, each).to_bytes());
    return out;
  }

  // Flows of the ports from 1 that hold a count.
  uint64_t counted(int ports) const {
    uint64_t flows = 0;
    for (int port = 1; port <= ports; ++port) {
      const auto flow = path_->flow(packet(port, kSyn).key());
      if (flow && state_of(*flow) != RP_FLOW_CLOSING) ++flows;
    }
    return flows;
  }

  uint64_t opened() const { return path_->count(1).opened + path_->count(2).opened; }
  uint64_t closed() const { return path_->count(1).closed + path_->count(2).closed; }
};

TEST_F(Race, AFlowThatSeveralCpusBeginIsOneFlow) {  // F1, F6
  serve(kVip, {{.id = 1}, {.id = 2}});
  on_all_cpus(2000, [](int port) { return flow(port, {kSyn}); });
  EXPECT_EQ(path_->flows(), 2000u);
  EXPECT_EQ(opened(), 2000u);
  EXPECT_EQ(closed(), 0u);
}

// Two CPUs get a flow's first packets at the same moment. Whoever loses follows the winner, unless the
// hypervisor stops that one in the middle: then the loser goes by hash, which a few may.
TEST_F(Race, BothFirstPacketsGoToOneBackend) {  // F1
  constexpr int kRounds = 1000, kStopped = 10;
  for (const bool nat : {false, true}) {
    ASSERT_TRUE(load());
    const std::vector<Backend> backends = {{.id = 1, .address = "192.0.2.1"},
                                           {.id = 2, .address = "192.0.2.2"}};
    nat ? serve_nat(kVip, backends) : serve(kVip, backends);
    std::atomic<int> arrived{0};
    std::array<std::vector<uint32_t>, 2> to;
    std::array<std::thread, 2> threads;
    for (size_t cpu = 0; cpu < 2; ++cpu) {
      threads[cpu] = std::thread([&, cpu] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        for (int round = 1; round <= kRounds; ++round) {
          const Bytes frame = packet(round, kSyn).to_bytes();
          ++arrived;
          while (arrived < 2 * round) sched_yield();
          const Handled run = path_->run_raw(frame);
          to[cpu].push_back(run.verdict == XDP_TX ? run.frame.at(5) : 0);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    int apart = 0;
    for (int i = 0; i < kRounds; ++i) apart += to[0][size_t(i)] != to[1][size_t(i)] ? 1 : 0;
    EXPECT_LE(apart, kStopped) << (nat ? "nat" : "l2");
    EXPECT_EQ(opened() - closed(), counted(kRounds));
  }
}

TEST_F(Race, ACountIsGivenBackOnceHoweverManyCpusSeeTheEnd) {  // F6
  serve(kVip, {{.id = 1}, {.id = 2}});
  on_all_cpus(1000, [](int port) { return flow(port, {kSyn, kAck, kRst}); });
  EXPECT_EQ(opened(), closed());  // the last packet of each flow was a RST
}

// All CPUs open, end and reopen the same few flows, so that swaps are lost all the time.
TEST_F(Race, AFlowThatSeveralCpusReopenIsCountedOnce) {  // F2, F6
  serve(kVip, {{.id = 1}, {.id = 2}});
  const std::vector<Bytes> packets = flow(1, {kSyn, kAck, kRst});
  on_all_cpus(20000, [&](int) -> const std::vector<Bytes>& { return packets; });
  EXPECT_EQ(opened() - closed(), counted(1));
  EXPECT_GT(closed(), 0u);
}

TEST_F(Race, NatFlowsAreOnePairOfEntriesEach) {  // F11
  serve_nat(kVip, {{.id = 1, .address = "192.0.2.1"}, {.id = 2, .address = "192.0.2.2"}});
  on_all_cpus(1000, [](int port) { return flow(port, {kSyn}); });
  EXPECT_EQ(opened(), 1000u);
  EXPECT_EQ(path_->flows(), 2000u);
}

TEST_F(Race, SweepsAndPacketsLoseNoCount) {  // F6
  constexpr int kPorts = 3;
  serve(kVip, {{.id = 1}, {.id = 2}});
  rp_vip_state state = path_->vip_state(1);
  state.timeout_closing = 0;  // an ended flow is swept at once, while the next one takes its place
  path_->set_vip_state(1, state);
  std::vector<std::vector<Bytes>> packets;
  for (int port = 1; port <= kPorts; ++port) packets.push_back(flow(port, {kSyn, kAck, kRst}));
  std::atomic<bool> done{false};
  uint64_t removed = 0;
  std::thread sweeper([&] {
    while (!done) removed += path_->sweep().removed;
  });
  on_all_cpus(20000, [&](int round) -> const std::vector<Bytes>& {
    return packets[static_cast<size_t>(round) % kPorts];
  });
  done = true;
  sweeper.join();
  EXPECT_EQ(opened() - closed(), counted(kPorts));
  EXPECT_GT(removed, 0u);
}

}  // namespace
}  // namespace rampart::bpf_test
