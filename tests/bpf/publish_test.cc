// SPDX-License-Identifier: Apache-2.0
// Publications under traffic: while every CPU begins new flows, the daemon's own modules change nodes,
// weights, algorithm and sizes in the kernel's maps. No packet may find less than a backend.
#include <bpf/bpf.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "bpf/packet.h"
#include "bpf/pinned_instance.h"
#include "control/controller.h"
#include "dataplane/flow_sweeper.h"
#include "rampart/outcomes.h"

namespace rampart {
namespace {

constexpr uint32_t kLoopback = 1;

class OneHop final : public control::NextHops {
 public:
  uint64_t towards(const IpAddress&, rp_forward) const override {
    return uint64_t{1} << RP_HOP_PORT_SHIFT | 0x020000000002;
  }
};

class PublishTest : public PinnedInstance {
 protected:
  PublishTest()
      : PinnedInstance({.pin_path = {},
                        .instance = "publish",
                        .max_vips = 8,
                        .max_backends = 1500,
                        .max_flows = 65536}) {}

  void SetUp() override {
    PinnedInstance::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    maps::Doors& doors = store_->doors();
    sweeper_ = std::make_unique<dataplane::FlowSweeper>(doors);
    doors.ports.at(0) = {.mac = 0x020000000001, .ifindex = kLoopback, .zero = 0};
    controller_ = std::make_unique<control::Controller>(
        control::Controller::Seams{.store = *store_, .grace = grace_, .hops = hops_}, boot_now());
    ASSERT_TRUE(controller_->adopt());
  }
  void TearDown() override {
    stop_traffic();
    controller_.reset();
    sweeper_.reset();
    PinnedInstance::TearDown();
  }

  // Nodes number `first` to `last` behind one VIP; the weights depend on `round`.
  static control::Config config(rp_algorithm algorithm, uint32_t first, uint32_t last,
                                uint32_t round, uint32_t table_size) {
    control::Config config;
    control::UpstreamConfig upstream;
    upstream.id = "pool";
    upstream.algorithm = algorithm;
    for (uint32_t i = first; i <= last; ++i) {
      const std::string address =
          "10.1." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1);
      upstream.nodes.push_back({.address = *IpAddress::parse(address),
                                .port = 80,
                                .weight = 100 + (i + round) % 7,
                                .priority = 0});
    }
    config.upstreams = {upstream};
    control::VipConfig vip;
    vip.id = "web";
    vip.scope = "pool";
    vip.address = *IpAddress::parse("203.0.113.1");
    vip.port = 80;
    vip.protocol = IPPROTO_TCP;
    vip.forward = RP_FORWARD_L2;  // what meets a sweep at its entry goes by hash; nat would drop it
    vip.table_size = table_size;
    vip.drain_timeout = std::chrono::seconds(0);  // ids are freed as soon as they may be
    config.vips = {vip};
    return config;
  }

  void accept(const control::Config& config) {
    const auto accepted = controller_->accept(config, boot_now());
    ASSERT_TRUE(accepted) << accepted.error().text;
  }
  // What a daemon does when a grace period or a sweep ends, for so long.
  void tick_for(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      ASSERT_TRUE(controller_->tick(boot_now()));
      controller_->sweep_began();
      sweeper_->pass(dataplane::FlowSweeper::now());
      controller_->sweep_ended();
    }
  }

  // Each thread begins a flow and ends it, again and again, so that each SYN is a choice.
  void start_traffic() {
    for (int thread = 1; thread <= 3; ++thread) {
      threads_.emplace_back([this, thread] {
        cpu_set_t all;
        memset(&all, 0xff, sizeof(all));
        sched_setaffinity(0, sizeof(all), &all);
        bpf_test::Packet packet;
        while (!done_) {
          packet.source_port = static_cast<uint16_t>(thread * 10000 + ++packet.seq % 5000);
          packet.flags = bpf_test::kSyn;
          send(packet);
          packet.flags = bpf_test::kRst;
          send(packet);
        }
      });
    }
  }
  void stop_traffic() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  void send(const bpf_test::Packet& packet) const {
    const bpf_test::Bytes frame = packet.to_bytes();
    bpf_test_run_opts run = {};
    run.sz = sizeof(run);
    run.data_in = frame.data();
    run.data_size_in = static_cast<uint32_t>(frame.size());
    bpf_prog_test_run_opts(object_->program_fd(), &run);
  }

  // Packets of the VIP by outcome.
  std::map<int, uint64_t> outcomes() const {
    const VipNumber number = controller_->observed().vips.begin()->first;
    const auto stats = maps::sum_vip_stats(store_->doors(), raw(number));
    std::map<int, uint64_t> found;
    for (int code = 0; code < RP_OUTCOME_SLOTS; ++code) {
      if (stats->packets[code] > 0) found[code] = stats->packets[code];
    }
    return found;
  }

  std::unique_ptr<dataplane::FlowSweeper> sweeper_;
  maps::KernelGracePeriods grace_{[] {}};
  OneHop hops_;
  std::unique_ptr<control::Controller> controller_;
  std::vector<std::thread> threads_;
  std::atomic<bool> done_{false};
};

// W3, L9. Rounds take turns through algorithms, pools that have nothing in common, pools below and
// above what is read whole, and table sizes.
TEST_F(PublishTest, NoPacketFindsLessThanABackend) {
  constexpr rp_algorithm kAlgorithms[] = {RP_LEAST_CONN, RP_LEAST_CONN, RP_ROUNDROBIN,
                                          RP_LEAST_CONN, RP_CHASH};
  constexpr uint32_t kSizes[] = {1009, 1009, 2003};
  constexpr uint32_t kNodes[] = {3, 20, 256, 300, 7, 600};
  accept(config(RP_ROUNDROBIN, 1, 2, 0, kSizes[0]));
  start_traffic();
  for (uint32_t round = 0; round < 40; ++round) {
    const uint32_t first = round % 2 ? 1 : 601;
    const uint32_t nodes = kNodes[round % 6];
    accept(config(kAlgorithms[round % 5], first, first + nodes - 1, round, kSizes[round % 3]));
    tick_for(std::chrono::milliseconds(round % 4 * 25));
  }
  stop_traffic();
  EXPECT_THAT(outcomes(), testing::ElementsAre(testing::Pair(RP_forward_tx, testing::Gt(0u))));
}

}  // namespace
}  // namespace rampart
