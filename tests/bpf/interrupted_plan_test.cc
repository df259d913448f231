// SPDX-License-Identifier: Apache-2.0
// A reload that ends in the middle: the process is killed, or the kernel refuses, at every write in
// turn. What was served is served, and who comes after has all become what it should be.
#include <bpf/bpf.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bpf/guarded_store.h"
#include "bpf/packet.h"
#include "bpf/pinned_instance.h"
#include "control/controller.h"
#include "control/wire.h"
#include "dataplane/flow_sweeper.h"

namespace rampart {
namespace {

using std::chrono::seconds;
using Nodes = std::map<int, uint32_t>;  // last byte of the address → weight

constexpr uint32_t kLoopback = 1;
constexpr int kPassed = 0;  // left to the host: no VIP
constexpr int kDropped = -1;
constexpr int kKeptFlows = 24;
constexpr int kNewFlows = 24;

class OneHop final : public control::NextHops {
 public:
  uint64_t towards(const IpAddress&, rp_forward) const override {
    return uint64_t{1} << RP_HOP_PORT_SHIFT | 0x020000000002;
  }
};

// No program runs while these cases write, so a period is over when they say so.
class CalledGrace final : public maps::GracePeriods {
 public:
  uint64_t ask() override { return ++asked_; }
  bool passed(uint64_t ticket) const override { return ticket <= ended_; }
  void end() { ended_ = asked_; }

 private:
  uint64_t asked_ = 0, ended_ = 0;
};

struct Service {
  int number;  // last byte of the VIP's address
  rp_algorithm algorithm;
  Nodes before;  // none: no such VIP
  Nodes after;
  uint32_t size_before, size_after;  // of its table
  seconds drain;
};

// What leads from before to after: nodes come, leave and change their weights, a VIP comes and one
// goes, a table and members grow, an upstream gets another name, a node is taken into maintenance.
const std::vector<Service>& services() {
  static const std::vector<Service> all = {
      {1,
       RP_ROUNDROBIN,
       {{1, 10}, {2, 10}, {3, 10}},
       {{2, 30}, {3, 10}, {4, 10}, {5, 1}},
       1009,
       1009,
       seconds(300)},
      {2,
       RP_LEAST_CONN,
       {{1, 10}, {2, 10}, {3, 10}},
       {{1, 20}, {3, 10}, {4, 10}, {5, 5}},
       1009,
       1009,
       seconds(0)},
      {3, RP_CHASH, {{1, 10}, {2, 10}}, {{1, 10}, {2, 10}, {6, 10}}, 1009, 2003, seconds(300)},
      {4, RP_ROUNDROBIN, {{7, 10}}, {}, 1009, 1009, seconds(0)},
      {5, RP_LEAST_CONN, {}, {{8, 10}, {9, 10}}, 1009, 1009, seconds(0)},
  };
  return all;
}

// In the pool of VIP 2, whose flows leave a node in maintenance (F3).
constexpr int kMovingVip = 2;
constexpr int kMaintained = 3;

control::Config config(bool after) {
  control::Config config;
  for (const Service& service : services()) {
    const Nodes& nodes = after ? service.after : service.before;
    if (nodes.empty()) continue;
    const std::string name = std::to_string(service.number);
    control::UpstreamConfig upstream;
    upstream.id = (after && service.number == 3 ? "renamed" : "pool") + name;
    upstream.algorithm = service.algorithm;
    for (const auto& [node, weight] : nodes) {
      upstream.nodes.push_back({.address = *IpAddress::parse("10.1.0." + std::to_string(node)),
                                .port = 9000,
                                .weight = weight,
                                .priority = 0});
    }
    config.upstreams.push_back(upstream);
    control::VipConfig vip;
    vip.id = "vip" + name;
    vip.scope = upstream.id;
    vip.address = *IpAddress::parse("203.0.113." + name);
    vip.port = 80;
    vip.protocol = IPPROTO_TCP;
    vip.table_size = after ? service.size_after : service.size_before;
    vip.drain_timeout = service.drain;
    if (service.number == kMovingVip) vip.on_down = control::OnDown::kMove;
    config.vips.push_back(vip);
  }
  return config;
}

class PlanTest : public PinnedInstance {
 protected:
  PlanTest()
      : PinnedInstance({.pin_path = {},
                        .instance = "interrupted",
                        .max_vips = 8,
                        .max_backends = 60,
                        .max_flows = 4096}) {}

  // A new instance that serves what is before, with flows of each VIP.
  void begin() {
    end();
    ASSERT_NO_FATAL_FAILURE(open());
    store_->doors().ports.at(0) = {.mac = 0x020000000001, .ifindex = kLoopback, .zero = 0};
    take_over(*store_);
    ASSERT_TRUE(controller_->accept(config(false), boot_now()));
    ASSERT_TRUE(settle());
    before_ = controller_->observed().ids();
    kept_.clear();
    for (const Service& service : services()) {
      if (service.before.empty()) continue;
      for (int flow = 0; flow < kKeptFlows; ++flow) {
        const int node = send(service.number, flow, bpf_test::kSyn);
        ASSERT_GT(node, 0);
        kept_[{service.number, flow}] = node;
      }
    }
    next_flow_ = kKeptFlows;
  }
  void end() {
    controller_.reset();
    store_.reset();
    object_.reset();
    (void)dataplane::remove_instance(folder()).ok();
  }
  void TearDown() override {
    controller_.reset();
    PinnedInstance::TearDown();
  }

  // What a daemon does when it starts.
  void take_over(maps::MapStore& store) {
    controller_ = std::make_unique<control::Controller>(
        control::Controller::Seams{.store = store, .grace = grace_, .hops = hops_}, boot_now());
    ASSERT_TRUE(controller_->adopt());
  }
  // What a daemon does as time passes, until all that may be freed is.
  Result<void> settle() {
    constexpr int kRounds = 6;
    dataplane::FlowSweeper sweeper(store_->doors());
    for (int round = 0; round < kRounds; ++round) {
      grace_.end();
      controller_->sweep_began();
      sweeper.pass(dataplane::FlowSweeper::now());
      controller_->sweep_ended();
      if (auto done = controller_->tick(boot_now()); !done) return done;
    }
    return {};
  }

  Result<void> reload() {
    const auto accepted = controller_->accept(config(true), boot_now());
    controller_->set_admin("pool2", "10.1.0." + std::to_string(kMaintained) + ":9000",
                           engine::Admin::kMaintenance, boot_now());
    return accepted ? settle() : accepted;
  }

  // The node that it goes to.
  int send(int vip, int flow, uint8_t flags) const {
    bpf_test::Packet packet;
    packet.destination = "203.0.113." + std::to_string(vip);
    // Of each VIP its own: two flows of one client to one node must differ (nat).
    packet.source_port = static_cast<uint16_t>(vip * 10000 + flow);
    packet.flags = flags;
    const bpf_test::Bytes frame = packet.to_bytes();
    std::array<uint8_t, 256> sent = {};
    bpf_test_run_opts run = {};
    run.sz = sizeof(run);
    run.data_in = frame.data();
    run.data_size_in = static_cast<uint32_t>(frame.size());
    run.data_out = sent.data();
    run.data_size_out = sent.size();
    EXPECT_EQ(bpf_prog_test_run_opts(object_->program_fd(), &run), 0);
    constexpr uint32_t kXdpPass = 2, kXdpTx = 3;
    constexpr size_t kLastByteOfDestination = 33;
    if (run.retval == kXdpPass) return kPassed;
    return run.retval == kXdpTx ? sent[kLastByteOfDestination] : kDropped;
  }

  // F1, O1: between before and after, at whatever point. A VIP that comes or goes is there whole or
  // not at all.
  void expect_served() {
    for (const Service& service : services()) {
      std::set<int> may;
      for (const Nodes& nodes : {service.before, service.after}) {
        for (const auto& [node, weight] : nodes) may.insert(node);
        if (nodes.empty()) may.insert(kPassed);
      }
      for (int i = 0; i < kNewFlows; ++i) {
        EXPECT_THAT(may, testing::Contains(send(service.number, next_flow_++, bpf_test::kSyn)))
            << "a new flow of VIP " << service.number;
      }
    }
    expect_kept();
  }
  // A flow leaves only what was removed and drained for as long as it was told to, or maintained.
  void expect_kept() {
    for (auto& [flow, node] : kept_) {
      const Service& service = services().at(static_cast<size_t>(flow.first - 1));
      if (service.after.empty()) continue;
      const int now = send(flow.first, flow.second, bpf_test::kAck);
      const bool maintained = flow.first == kMovingVip && node == kMaintained;
      if (service.drain > seconds(0) || (service.after.contains(node) && !maintained)) {
        EXPECT_EQ(now, node) << "flow " << flow.second << " of VIP " << flow.first;
      } else {
        EXPECT_GT(now, 0) << "flow " << flow.second << " of VIP " << flow.first;
      }
    }
  }
  // O2: all is as if nothing had happened.
  void expect_converged() {
    expect_kept();
    for (const Service& service : services()) {
      std::set<int> wanted;
      for (const auto& [node, weight] : service.after) wanted.insert(node);
      if (service.number == kMovingVip) wanted.erase(kMaintained);
      EXPECT_EQ(nodes_in_table(service.number), wanted) << "VIP " << service.number;
      if (wanted.empty()) wanted.insert(kPassed);
      for (int i = 0; i < kNewFlows; ++i) {
        EXPECT_THAT(wanted, testing::Contains(send(service.number, next_flow_++, bpf_test::kSyn)))
            << "a new flow of VIP " << service.number;
      }
    }
    for (const auto& [key, id] : controller_->observed().ids()) {
      const auto former = before_.find(key);
      if (former == before_.end()) continue;
      EXPECT_EQ(id, former->second) << key.address.to_string();
    }
    EXPECT_THAT(controller_->observed().retired, testing::IsEmpty());
    EXPECT_THAT(controller_->reconcile().lines, testing::IsEmpty());
  }
  // As the kernel has it.
  std::set<int> nodes_in_table(int vip) const {
    std::set<int> nodes;
    for (const auto& [number, there] : controller_->observed().vips) {
      if (there.address.address != *IpAddress::parse("203.0.113." + std::to_string(vip))) continue;
      for (const uint16_t id : store_->live_slots(number, store_->vip_state(number).table_size)) {
        const IpAddress address = control::from_wire(store_->backend(BackendId{id}).address);
        nodes.insert(std::stoi(address.to_string().substr(strlen("10.1.0."))));
      }
    }
    return nodes;
  }

  CalledGrace grace_;
  OneHop hops_;
  std::unique_ptr<control::Controller> controller_;
  std::map<control::BackendKey, BackendId> before_;
  std::map<std::pair<int, int>, int> kept_;  // VIP, flow → node
  int next_flow_ = 0;
};

// W8, S3.21: to who knows what the last process knew there is nothing left to do.
TEST_F(PlanTest, IsEmptyForTheNextProcess) {
  ASSERT_NO_FATAL_FAILURE(begin());
  ASSERT_TRUE(reload());
  const engine::EngineState known = controller_->engine_state(boot_now());
  std::set<std::string> kinds;
  GuardedStore store(*store_, [&](const char* name) -> Result<void> {
    kinds.insert(name);
    return {};
  });
  take_over(store);
  controller_->restore(known, boot_now());
  ASSERT_TRUE(controller_->accept(config(true), boot_now()));
  ASSERT_TRUE(settle());
  controller_.reset();
  EXPECT_THAT(kinds, testing::ElementsAre("set_nat_backends")) << "which is not read back";
}

// Takes its share of the writes: every kShares-th of them, from the parameter on.
constexpr int kShares = 4;
class InterruptedPlanTest : public PlanTest, public testing::WithParamInterface<int> {};

// O1, O2, F1
TEST_P(InterruptedPlanTest, ADeathBeforeAnyWriteLosesNothingAndTheNextProcessEndsTheWork) {
  bool died = true;
  for (int write = GetParam(); died && !HasFailure(); write += kShares) {
    SCOPED_TRACE("killed before write " + std::to_string(write));
    ASSERT_NO_FATAL_FAILURE(begin());
    controller_.reset();
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      GuardedStore store(*store_, [left = write](const char*) mutable -> Result<void> {
        if (--left == 0) kill(getpid(), SIGKILL);
        return {};
      });
      take_over(store);
      _exit(reload().ok() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    died = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    ASSERT_TRUE(died || status == 0) << "the child ended by itself: " << status;
    expect_served();

    ASSERT_NO_FATAL_FAILURE(open());
    expect_served();
    take_over(*store_);
    ASSERT_TRUE(reload());
    expect_converged();
  }
}

// O1, O2, F1: within one write, after the pin of an inner map in use was taken away and before the
// next one is in place.
TEST_F(PlanTest, ADeathOverThePinsOfInnerMapsLosesNothing) {
  ASSERT_NO_FATAL_FAILURE(begin());
  controller_.reset();
  int taken = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("rp_slots_") && !name.starts_with("rp_members_")) continue;
    ASSERT_EQ(unlink(entry.path().c_str()), 0);
    ++taken;
  }
  EXPECT_GE(taken, 5) << "four VIPs have slots, one of them members";
  ASSERT_NO_FATAL_FAILURE(open());
  expect_served();
  take_over(*store_);
  ASSERT_TRUE(reload());
  expect_converged();
}

// O1, O2, F1: the kernel has no memory, or the process no descriptor, for a write; in vain again
// and again, until it has.
TEST_P(InterruptedPlanTest, AWriteThatFailsIsNamedLosesNothingAndIsMadeUpFor) {
  bool refused = true;
  for (int write = GetParam(); refused && !HasFailure(); write += kShares) {
    SCOPED_TRACE("refused from write " + std::to_string(write) + " on");
    ASSERT_NO_FATAL_FAILURE(begin());
    int left = write;
    bool healed = false;
    std::string first;
    GuardedStore store(*store_, [&](const char* name) -> Result<void> {
      if (healed || --left > 0) return {};
      if (first.empty()) first = name;
      return Error{Code::kFailed, std::string("refused: ") + name};
    });
    take_over(store);
    auto done = reload();
    refused = !first.empty();
    ASSERT_EQ(done.ok(), !refused);
    for (int time = 0; refused && time < 3; ++time) {
      ASSERT_FALSE(done);
      EXPECT_THAT(done.error().text, testing::HasSubstr("refused: "));
      expect_served();
      done = settle();
    }
    healed = true;
    ASSERT_TRUE(settle());
    expect_converged();
    controller_.reset();
  }
}

// What the cases below go through, one by one.
TEST_F(PlanTest, MakesWritesOfManyKinds) {
  ASSERT_NO_FATAL_FAILURE(begin());
  std::set<std::string> kinds;
  GuardedStore store(*store_, [&](const char* name) -> Result<void> {
    kinds.insert(name);
    return {};
  });
  take_over(store);
  ASSERT_TRUE(reload());
  expect_converged();
  controller_.reset();
  EXPECT_THAT(kinds,
              testing::ElementsAre("announce_vip", "create_members", "create_table", "free_vip",
                                   "publish", "set_backend_scope", "set_backend_state",
                                   "set_flows_move", "set_nat_backends", "set_vip_settings",
                                   "withdraw_vip", "write_backend", "write_vip_state"));
}

INSTANTIATE_TEST_SUITE_P(Shares, InterruptedPlanTest, testing::Range(1, kShares + 1));

}  // namespace
}  // namespace rampart
