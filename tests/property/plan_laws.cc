// SPDX-License-Identifier: Apache-2.0
// Laws of the reconcile, over random histories of configurations: cut the plan after any write, and
// every invariant of control/plan.h still holds; go on, and what is becomes what should be; do it
// twice, or in a new process, and nothing is left to do.
#include <gmock/gmock.h>
#include <netinet/in.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "control/controller.h"
#include "control/desired.h"
#include "engine/apportion.h"
#include "maps/backend_state.h"
#include "property/seeded.h"
#include "unit/control/fake_kernel.h"

namespace rampart::control {
namespace {

using std::chrono::seconds;

constexpr uint32_t kMaxVips = 40;
// Enough for all that drains meanwhile: what does not fit is a test of its own.
constexpr uint32_t kMaxBackends = 600;
constexpr rp_algorithm kAlgorithms[] = {RP_ROUNDROBIN, RP_CHASH, RP_LEAST_CONN};
constexpr engine::Health kHealth[] = {engine::Health::kUnknown, engine::Health::kUp,
                                      engine::Health::kDown};
constexpr engine::Admin kAdmin[] = {engine::Admin::kNone, engine::Admin::kDrain,
                                    engine::Admin::kMaintenance};
constexpr uint32_t kSizes[] = {251, 503, 1009};
// Grace, sweep and drain, and a refill a round until even the largest table is its goal (W7).
constexpr uint32_t kRoundsToTheEnd = 6 + 1009 / (VipConfig{}.refill_slots - 1);

class PlanLaws : public Seeded {
 protected:
  PlanLaws() { start(); }
  void TearDown() override { EXPECT_THAT(kernel_.broken, testing::IsEmpty()); }

  void start() {
    controller_ = std::make_unique<Controller>(
        Controller::Seams{.store = kernel_, .grace = grace_, .hops = hops_}, now_);
    ASSERT_TRUE(controller_->adopt());
  }

  IpAddress address(const std::string& network, int host) {
    return *IpAddress::parse(network + std::to_string(host));
  }

  UpstreamConfig some_upstream(const std::string& id) {
    UpstreamConfig upstream;
    upstream.id = id;
    upstream.algorithm = kAlgorithms[between(0, 2)];
    for (int host = 1; host <= 6; ++host) {
      if (one_in(2)) continue;
      upstream.nodes.push_back({.address = address("10.0.0.", host),
                                .port = static_cast<uint16_t>(one_in(5) ? 8081 : 8080),
                                .weight = one_in(5) ? 0 : between(1u, 300u),
                                .priority = 0});
    }
    if (one_in(2)) {
      upstream.slow_start = engine::SlowStart{.window = seconds(between(1, 20)),
                                              .min_weight_percent = between(1, 50)};
    }
    return upstream;
  }

  Config some_config() {
    Config config;
    for (const char* id : {"a", "b", "c"}) config.upstreams.push_back(some_upstream(id));
    for (int host = 1; host <= 8; ++host) {
      if (one_in(3)) continue;
      VipConfig vip;
      vip.id = "vip" + std::to_string(host);
      vip.scope = config.upstreams[between(0, 2)].id;
      vip.address = address("203.0.113.", host);
      vip.port = 80;
      vip.protocol = one_in(3) ? IPPROTO_UDP : IPPROTO_TCP;
      vip.on_down = one_in(2) ? OnDown::kMove : OnDown::kStay;
      vip.forward = one_in(4) ? RP_FORWARD_L2 : RP_FORWARD_NAT;
      vip.table_size = kSizes[between(0, 2)];
      vip.drain_timeout = seconds(between(0, 30));
      config.vips.push_back(vip);
    }
    return config;
  }

  // Of a node, listed or not.
  void say_something() {
    const std::string identity = "10.0.0." + std::to_string(between(1, 6)) + ":8080";
    const std::string scope(1, "abc"[between(0, 2)]);
    if (one_in(2)) {
      controller_->set_health(scope, identity, kHealth[between(0, 2)], now_);
    } else {
      controller_->set_admin(scope, identity, kAdmin[between(0, 2)], now_);
    }
  }

  void end_grace() {
    grace_.end_all();
    kernel_.end_grace();
  }
  void end_sweep() {
    kernel_.end_sweep();
    controller_->sweep_began();
    controller_->sweep_ended();
  }
  void settle() {
    end_grace();
    end_sweep();
  }

  // Time passes, grace periods and sweeps end or do not, writes fail or do not, the process dies or
  // not.
  void something_happens() {
    now_ += std::chrono::milliseconds(between(0, 4000));
    if (one_in(3)) kernel_.fail_at = between<size_t>(0, 12);
    if (one_in(2)) end_grace();
    if (one_in(2)) end_sweep();
    if (one_in(4)) config_ = some_config();
    if (one_in(2)) say_something();
    const auto ignored = one_in(3) ? controller_->accept(config_, now_) : controller_->tick(now_);
    (void)ignored;  // a failed write is made up for later; that is the law
    kernel_.fail_at.reset();
    if (one_in(10)) start();
  }

  // Everything that waits comes to its end.
  void let_all_end() {
    ASSERT_TRUE(controller_->accept(config_, now_));
    for (uint32_t round = 0; round < kRoundsToTheEnd; ++round) {
      settle();
      now_ += seconds(31);
      ASSERT_TRUE(controller_->tick(now_));
    }
  }

  void expect_what_is_to_be_what_should_be() {
    const Observed& observed = controller_->observed();
    const DesiredPlane desired = desired_plane(config_, controller_->snapshot());
    const auto numbers = observed.numbers();
    const auto ids = observed.ids();
    ASSERT_EQ(numbers.size(), desired.size());
    EXPECT_TRUE(observed.retired.empty());
    EXPECT_EQ(kernel_.tables(), desired.size());
    size_t backends = 0;
    for (const DesiredVip& vip : desired) {
      const engine::SlotTable table =
          kernel_.live_slots(numbers.at(vip.address), vip.settings.table_size);
      std::vector<Weight> weights;
      for (const DesiredBackend& backend : vip.backends) weights.push_back(backend.effective);
      const auto counts = engine::apportion(weights, vip.settings.table_size);
      for (size_t i = 0; i < counts.size(); ++i) {
        const auto owner = raw(ids.at(vip.backends[i].key));
        EXPECT_EQ(std::count(table.begin(), table.end(), owner), counts[i]);
        EXPECT_EQ(maps::flows_move(kernel_.backend(BackendId{owner})), vip.backends[i].flows_move);
      }
      backends += vip.backends.size();
      if (vip.settings.algorithm == RP_LEAST_CONN) expect_members_of(vip, numbers.at(vip.address));
    }
    EXPECT_EQ(observed.backends.size(), backends);
  }

  // L1, L2, B2
  void expect_members_of(const DesiredVip& vip, VipNumber number) {
    const auto ids = controller_->observed().ids();
    Members expected;
    for (const DesiredBackend& backend : vip.backends) {
      if (backend.effective.raw() == 0) continue;
      const BackendId id = ids.at(backend.key);
      expected.push_back({.id = id,
                          .count_index = CountIndex{kernel_.backend(id).count_index},
                          .weight = static_cast<uint32_t>(backend.effective.raw())});
    }
    EXPECT_EQ(kernel_.live_members(number), expected);
  }

  FakeKernel kernel_{kMaxVips, kMaxBackends};
  FakeGrace grace_;
  FakeHops hops_;
  TimePoint now_ = TimePoint(seconds(100000));
  Config config_;
  std::unique_ptr<Controller> controller_;
};

// B5, W3, W5
TEST_F(PlanLaws, AnyHistoryKeepsTheInvariantsAndConverges) {
  for (int history = 0; history < 30; ++history) {
    config_ = some_config();
    for (int event = between(0, 12); event > 0; --event) something_happens();
    ASSERT_THAT(kernel_.broken, testing::IsEmpty());
    let_all_end();
    expect_what_is_to_be_what_should_be();
  }
}

TEST_F(PlanLaws, DoingItTwiceIsDoingItOnce) {
  for (int round = 0; round < 30; ++round) {
    config_ = some_config();
    let_all_end();
    kernel_.log.clear();
    ASSERT_TRUE(controller_->accept(config_, now_));
    EXPECT_THAT(kernel_.log, testing::IsEmpty());
  }
}

// W8, O1: a restart moves nothing, whatever the table's history.
TEST_F(PlanLaws, ANewProcessHasNothingToDo) {
  for (int round = 0; round < 30; ++round) {
    config_ = some_config();
    let_all_end();
    start();
    settle();
    kernel_.log.clear();
    ASSERT_TRUE(controller_->accept(config_, now_));
    // The switch of the reply lookup is not read back, but stored anew.
    std::erase_if(kernel_.log, [](const auto& line) { return line.starts_with("nat backends"); });
    EXPECT_THAT(kernel_.log, testing::IsEmpty());
  }
}

}  // namespace
}  // namespace rampart::control
