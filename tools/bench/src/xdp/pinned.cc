// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/pinned.h"

#include <netinet/in.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/clock.h"
#include "base/ip.h"
#include "control/controller.h"
#include "control/next_hops.h"
#include "maps/grace.h"

namespace rampart::bench {
namespace {

constexpr uint32_t kLoopback = 1;
constexpr char kInstance[] = "bench";

// One neighbour behind the loopback interface, which is port 0.
class OneHop final : public control::NextHops {
 public:
  uint64_t towards(const IpAddress&, rp_forward) const override {
    return uint64_t{1} << RP_HOP_PORT_SHIFT | 0x020000000002;
  }
};

// No packet runs while the maps are written.
class NoWait final : public maps::GracePeriods {
 public:
  uint64_t ask() override { return 0; }
  bool passed(uint64_t) const override { return true; }
};

control::VipConfig vip_of(const Setting& setting, const std::string& id, uint8_t protocol) {
  control::VipConfig vip;
  vip.id = id;
  vip.address = *IpAddress::parse("10.200.1.1");
  vip.port = 80;
  vip.protocol = protocol;
  vip.forward = setting.forward;
  vip.scope = "pool";
  return vip;
}

}  // namespace

control::Config config_of(const Setting& setting) {
  control::Config config;
  control::UpstreamConfig upstream;
  upstream.id = "pool";
  upstream.algorithm = setting.algorithm;
  for (uint32_t i = 1; i <= setting.backends; ++i) {
    const std::string address =
        "10.201." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1);
    upstream.nodes.push_back({.address = *IpAddress::parse(address), .port = 80});
  }
  config.upstreams = {upstream};
  config.vips = {vip_of(setting, "tcp", IPPROTO_TCP), vip_of(setting, "udp", IPPROTO_UDP)};
  return config;
}

Result<Pinned> pin(const std::string& folder, const Setting& setting) {
  Pinned pinned;
  auto object = dataplane::Object::load({.pin_path = folder,
                                         .instance = kInstance,
                                         .max_vips = 8,
                                         .max_backends = setting.backends * 2,
                                         .max_flows = setting.max_flows,
                                         .switches = {.new_flow_limit_per_cpu = 0, .zero = 0}});
  if (!object) return object.error();
  pinned.object = std::move(*object);
  if (pinned.object->adopted()) {
    return Error{Code::kCannotAttach,
                 pinned.object->folder() + " is there already: give another folder, or remove it"};
  }
  auto store =
      maps::KernelMapStore::open(pinned.object->folder(), pinned.object->slot_block_type());
  if (!store) return store.error();
  pinned.store = std::move(*store);
  pinned.store->doors().ports.at(0) = {.mac = 0x020000000001, .ifindex = kLoopback, .zero = 0};

  OneHop hops;
  NoWait grace;
  control::Controller controller({.store = *pinned.store, .grace = grace, .hops = hops},
                                 boot_now());
  if (auto adopted = controller.adopt(); !adopted) return adopted.error();
  if (auto accepted = controller.accept(config_of(setting), boot_now()); !accepted) {
    return accepted.error();
  }
  return pinned;
}

}  // namespace rampart::bench
