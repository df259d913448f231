// SPDX-License-Identifier: Apache-2.0
// The control loop over the fake kernel, with plain times.
#ifndef RAMPART_TESTS_UNIT_CONTROL_CONTROLLER_FIXTURE_H_
#define RAMPART_TESTS_UNIT_CONTROL_CONTROLLER_FIXTURE_H_

#include <gmock/gmock.h>
#include <netinet/in.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/controller.h"
#include "unit/control/fake_kernel.h"

namespace rampart::control {

using std::chrono::seconds;

inline constexpr uint32_t kTableSize = 251;

inline IpAddress ip(const std::string& text) {
  return *IpAddress::parse(text);
}
inline TimePoint at(int64_t second) {
  return TimePoint(seconds(second));
}

inline NodeConfig node(const std::string& address, uint32_t weight = 100, int priority = 0) {
  return {.address = ip(address), .port = 8080, .weight = weight, .priority = priority};
}

inline UpstreamConfig upstream(const ScopeId& id, std::vector<NodeConfig> nodes) {
  UpstreamConfig made;
  made.id = id;
  made.nodes = std::move(nodes);
  return made;
}

inline VipConfig vip(const std::string& id, const ScopeId& scope, const std::string& address) {
  VipConfig made;
  made.id = id;
  made.scope = scope;
  made.address = ip(address);
  made.port = 80;
  made.protocol = IPPROTO_TCP;
  made.forward = RP_FORWARD_NAT;
  made.table_size = kTableSize;
  return made;
}

// One VIP over the given nodes.
inline Config config_of(std::vector<NodeConfig> nodes) {
  Config config;
  config.upstreams = {upstream("orders", std::move(nodes))};
  config.vips = {vip("web", "orders", "203.0.113.10")};
  return config;
}

class ControllerTest : public testing::Test {
 protected:
  void SetUp() override { restart(); }
  void TearDown() override { EXPECT_THAT(kernel_.broken, testing::IsEmpty()); }

  // A new process finds the maps that the last one left.
  void restart() {
    controller_ = std::make_unique<Controller>(
        Controller::Seams{.store = kernel_, .grace = grace_, .hops = hops_}, at(1000));
    ASSERT_TRUE(controller_->adopt());
    settle();
  }
  void settle() {
    grace_.end_all();
    kernel_.end_grace();
    kernel_.end_sweep();
    controller_->sweep_began();
    controller_->sweep_ended();
  }
  // Ticks until nothing waits any more.
  void converge(int64_t second) {
    for (int round = 0; round < 4; ++round) {
      ASSERT_TRUE(controller_->tick(at(second)));
      settle();
    }
  }
  void accept(const Config& config, int64_t second = 1000) {
    const auto accepted = controller_->accept(config, at(second));
    ASSERT_TRUE(accepted) << accepted.error().text;
  }
  std::map<std::string, uint32_t> slots_by_address() const {
    std::map<std::string, uint32_t> slots;
    const auto& observed = controller_->observed();
    for (const auto& [number, one] : observed.vips) {
      for (const engine::Owner owner : one.table) {
        if (owner == engine::kNobody) continue;
        const auto& backend = observed.backends.at(static_cast<BackendId>(owner));
        ++slots[from_wire(backend.address).to_string()];
      }
    }
    return slots;
  }
  BackendId id_of(const std::string& address) const {
    for (const auto& [id, backend] : controller_->observed().backends) {
      if (from_wire(backend.address) == ip(address)) return id;
    }
    return BackendId{0};
  }

  FakeKernel kernel_{8, 16};
  FakeGrace grace_;
  FakeHops hops_;
  std::unique_ptr<Controller> controller_;
};

}  // namespace rampart::control

#endif  // RAMPART_TESTS_UNIT_CONTROL_CONTROLLER_FIXTURE_H_
