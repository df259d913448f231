// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/pinned.h"

#include <bpf/bpf.h>
#include <netinet/in.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/ip.h"
#include "control/controller.h"
#include "control/next_hops.h"
#include "dataplane/attach.h"
#include "dataplane/flow_sweeper.h"
#include "maps/grace.h"
#include "rampart/limits.h"

namespace rampart::bench {
namespace {

constexpr char kInstance[] = "bench";

// One neighbour for all, out of port 0.
class OneHop final : public control::NextHops {
 public:
  explicit OneHop(uint64_t neighbour) : neighbour_(neighbour) {}
  uint64_t towards(const IpAddress&, rp_forward) const override {
    return uint64_t{1} << RP_HOP_PORT_SHIFT | neighbour_;
  }

 private:
  uint64_t neighbour_;
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

// Of all that is pinned in a folder.
uint64_t bytes_of_pins(const std::string& folder) {
  uint64_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const Fd pinned(bpf_obj_get(entry.path().c_str()));
    if (pinned) bytes += memory_of(pinned.get());
  }
  return bytes;
}

double cpu_milliseconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace

uint64_t memory_of(int map_fd) {
  std::ifstream lines("/proc/self/fdinfo/" + std::to_string(map_fd));
  std::string word;
  uint64_t bytes = 0;
  while (lines >> word) {
    if (word == "memlock:") lines >> bytes;
  }
  return bytes;
}

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

Result<std::unique_ptr<maps::KernelMapStore>> configure(const std::string& folder,
                                                        const maps::InnerMapTypes& types,
                                                        const Setting& setting) {
  auto store = maps::KernelMapStore::open(folder, types);
  if (!store) return store.error();
  (*store)->doors().ports.at(0) = {
      .mac = setting.way_out.source, .ifindex = setting.way_out.ifindex, .zero = 0};

  const OneHop hops(setting.way_out.neighbour);
  NoWait grace;
  control::Controller controller({.store = **store, .grace = grace, .hops = hops}, boot_now());
  if (auto adopted = controller.adopt(); !adopted) return adopted.error();
  if (auto accepted = controller.accept(config_of(setting), boot_now()); !accepted) {
    return accepted.error();
  }
  return store;
}

Result<Pinned> pin(const std::string& folder, const Setting& setting) {
  Pinned pinned;
  auto object = dataplane::Object::load({.pin_path = folder,
                                         .instance = kInstance,
                                         .max_vips = 8,
                                         .max_backends = setting.backends * 2,
                                         .max_flows = setting.max_flows,
                                         .new_flow_limit_per_cpu = setting.new_flow_limit_per_cpu});
  if (!object) return object.error();
  pinned.object = std::move(*object);
  if (pinned.object->adopted()) {
    return Error{Code::kCannotAttach,
                 pinned.object->folder() + " is there already: give another folder, or remove it"};
  }
  auto store = configure(pinned.object->folder(), pinned.object->inner_map_types(), setting);
  if (!store) return store.error();
  pinned.store = std::move(*store);
  pinned.map_bytes = bytes_of_pins(pinned.object->folder());
  return pinned;
}

std::string passing_folder() {
  return "/sys/fs/bpf/rampart-bench-" + std::to_string(getpid());
}

void remove_passing() {
  (void)dataplane::remove_instance(dataplane::instance_folder(passing_folder(), kInstance)).ok();
}

Result<Pinned> pin_for_now(const Setting& setting) {
  auto pinned = pin(passing_folder(), setting);
  remove_passing();
  return pinned;
}

Result<Counts> counts_of(const Pinned& pinned) {
  const maps::Doors& doors = pinned.store->doors();
  Counts counts;
  for (uint32_t number = RP_NO_VIP; number <= pinned.store->max_vips(); ++number) {
    const auto stats = maps::sum_vip_stats(doors, number);
    if (!stats) return stats.error();
    for (size_t i = 0; i < RP_OUTCOME_SLOTS; ++i) counts.packets[i] += stats->packets[i];
  }
  for (uint32_t index = 0; index < doors.flow_counts.size(); ++index) {
    counts.flows_begun += maps::load(doors.flow_counts.at(index).opened);
  }
  return counts;
}

Pass sweep_once(Pinned& pinned) {
  dataplane::FlowSweeper sweeper(pinned.store->doors());
  const uint32_t now = dataplane::FlowSweeper::now();
  const double before = cpu_milliseconds();
  const dataplane::Sweep found = sweeper.pass(now);
  return {.flows = found.live, .milliseconds = cpu_milliseconds() - before};
}

void forget_new_flows(Pinned& pinned) {
  std::vector<std::pair<rp_vip_state*, uint32_t>> timeouts;
  maps::Doors& doors = pinned.store->doors();
  auto& states = doors.vip_state;
  for (uint32_t number = 1; number < states.size(); ++number) {
    timeouts.emplace_back(&states.at(number), states.at(number).timeout_syn);
    states.at(number).timeout_syn = 0;
  }
  dataplane::FlowSweeper(doors).pass(dataplane::FlowSweeper::now());
  for (const auto& [state, timeout] : timeouts) state->timeout_syn = timeout;
}

}  // namespace rampart::bench
