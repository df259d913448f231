// SPDX-License-Identifier: Apache-2.0
#include "daemon/plane.h"

#include <bpf/bpf.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "control/planes.h"
#include "control/wire.h"
#include "dataplane/instance_lock.h"

namespace rampart::daemon {
namespace {

// How long a reload waits for the neighbours of new backends. An answer on the link takes well
// under a millisecond; a backend that is not there must not hold up the others.
constexpr std::chrono::milliseconds kNextHopPatience{300};

// Of the flow table, swept in one go: 4 MiB, a few milliseconds.
constexpr uint32_t kPlacesPerStep = 1u << 18;

class NeighbourHops final : public control::NextHops {
 public:
  explicit NeighbourHops(const dataplane::Neighbours& neighbours) : neighbours_(neighbours) {}
  uint64_t towards(const IpAddress& address, rp_forward forward) const override {
    return neighbours_.towards(address, forward);
  }

 private:
  const dataplane::Neighbours& neighbours_;
};

dataplane::ObjectOptions object_options(const control::Config& config) {
  return {.pin_path = config.bpf.pin_path,
          .instance = config.instance,
          .max_vips = config.bpf.max_vips,
          .max_backends = config.bpf.max_backends,
          .max_flows = config.bpf.max_flows,
          .new_flow_limit_per_cpu = config.bpf.new_flow_limit_per_cpu};
}

std::set<IpAddress> addresses_of(const control::Config& config, const control::Observed& observed) {
  std::set<IpAddress> addresses;
  // Layer 7 leaves next hops to the kernel, of IPv6 too.
  const std::set<ScopeId> of_vips = control::scopes_of_vips(config);
  for (const control::UpstreamConfig& upstream : config.upstreams) {
    if (!of_vips.contains(upstream.id)) continue;
    for (const control::NodeConfig& node : upstream.nodes) addresses.insert(node.address);
  }
  for (const auto& [id, backend] : observed.backends) {
    addresses.insert(control::from_wire(backend.address));
  }
  return addresses;
}

std::function<void()> grace_wait(const maps::KernelMapStore& store) {
  if (maps::KernelGracePeriods::membarrier_works()) return {};
  return maps::wait_by_map_update(store.doors().slots.get());
}

}  // namespace

dataplane::Mode mode_of(control::AttachMode mode) {
  switch (mode) {
    case control::AttachMode::kNative:
      return dataplane::Mode::kNative;
    case control::AttachMode::kGeneric:
      return dataplane::Mode::kGeneric;
    case control::AttachMode::kAuto:
      break;
  }
  return dataplane::Mode::kAuto;
}

Result<std::unique_ptr<Plane>> Plane::open(const control::Config& config,
                                           std::function<void()> on_grace) {
  std::unique_ptr<Plane> plane(new Plane());
  auto lock = dataplane::lock_instance(config.bpf.pin_path, config.instance);
  if (!lock) return lock.error();
  plane->lock_ = std::move(*lock);
  plane->options_ = object_options(config);
  auto object = dataplane::Object::load(plane->options_);
  if (!object) return object.error();
  plane->object_ = std::move(*object);
  auto store = maps::KernelMapStore::open(plane->folder(), plane->object_->inner_map_types());
  if (!store) return store.error();
  plane->store_ = std::move(*store);
  plane->sweeper_ = std::make_unique<dataplane::FlowSweeper>(plane->store_->doors());
  auto neighbours = dataplane::Neighbours::open(plane->store_->doors().ports);
  if (!neighbours) return neighbours.error();
  plane->neighbours_ = std::make_unique<dataplane::Neighbours>(std::move(*neighbours));
  plane->hops_ = std::make_unique<NeighbourHops>(*plane->neighbours_);
  plane->grace_ =
      std::make_unique<maps::KernelGracePeriods>(std::move(on_grace), grace_wait(*plane->store_));
  plane->controller_ = std::make_unique<control::Controller>(
      control::Controller::Seams{
          .store = *plane->store_, .grace = *plane->grace_, .hops = *plane->hops_},
      boot_now());
  if (auto adopted = plane->controller_->adopt(); !adopted) return adopted.error();
  plane->restore_state(config);
  for (const auto& [id, backend] : plane->controller_->observed().backends) {
    plane->neighbours_->adopt(control::from_wire(backend.address), backend.next_hop);
  }
  // What ended while no daemon ran still fills the table, and its ids rest until it is swept.
  while (!plane->sweep()) {
  }
  return plane;
}

// A state file that is of no use is a reason to say so, not one to stay away (S3.21).
void Plane::restore_state(const control::Config& config) {
  state_file_ =
      std::make_unique<control::StateFile>(config.state_dir + "/" + config.instance + ".json");
  const auto saved = state_file_->load();
  if (!saved) {
    log::warn("state file: " + saved.error().text + "; ramps, marks and tombstones are forgotten");
  } else if (*saved) {
    const control::BootFrame now = control::boot_frame();
    controller_->restore(control::in_frame(**saved, now), now.boot_clock);
  }
}

Result<void> Plane::save_state() {
  engine::EngineState state = controller_->engine_state(boot_now());
  if (state_file_->holds(state)) return {};
  return state_file_->save({control::boot_frame(), std::move(state)});
}

Result<void> Plane::accept(control::Config config) {
  std::set<IpAddress> targets = addresses_of(config, controller_->observed());
  std::set<IpAddress> newcomers;
  std::set_difference(targets.begin(), targets.end(), neighbours_->targets().begin(),
                      neighbours_->targets().end(), std::inserter(newcomers, newcomers.end()));
  neighbours_->set_targets(std::move(targets));
  await_next_hops(newcomers);
  if (auto accepted = controller_->accept(std::move(config), boot_now()); !accepted) {
    if (controller_->config()) {
      neighbours_->set_targets(addresses_of(*controller_->config(), controller_->observed()));
    }
    return accepted;
  }
  return controller_->refresh_next_hops();
}

void Plane::await_next_hops(const std::set<IpAddress>& newcomers) {
  const auto deadline = std::chrono::steady_clock::now() + kNextHopPatience;
  while (true) {
    if (auto done = neighbours_->refresh(); !done) log::warn(done.within("next hops").text);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (neighbours_->all_resolved(newcomers) || left.count() <= 0) return;
    pollfd events = {.fd = neighbours_->event_fd(), .events = POLLIN, .revents = 0};
    poll(&events, 1, static_cast<int>(left.count()));
  }
}

Result<dataplane::Attachment> Plane::attach(const std::string& interface, dataplane::Mode mode) {
  return dataplane::attach(folder(), object_->program_fd(), interface, mode);
}

Result<void> Plane::detach(const std::string& interface) {
  return dataplane::detach(folder(), interface);
}

Result<dataplane::Explanation> Plane::explain(const dataplane::Probe& probe) {
  if (!explainer_) {
    auto loaded = dataplane::Explainer::load(options_);
    if (!loaded) return loaded.error();
    explainer_ = std::move(*loaded);
  }
  return explainer_->ask(probe, doors().backends);
}

Result<void> Plane::refresh_next_hops() {
  if (auto done = neighbours_->refresh(); !done) return done.within("next hops");
  return controller_->refresh_next_hops();
}

void Plane::resolve_missed() {
  rp_addr missed = {};
  while (bpf_map_lookup_and_delete_elem(doors().unresolved.get(), nullptr, &missed) == 0) {
    neighbours_->resolve(control::from_wire(missed));
  }
}

bool Plane::sweep() {
  if (!sweeper_->running()) controller_->sweep_began();
  const auto swept = sweeper_->step(kPlacesPerStep, dataplane::FlowSweeper::now());
  if (!swept) return false;
  controller_->sweep_ended();
  flow_table_.entries = swept->seen - swept->removed;
  note_flow_stats();
  flow_table_.drift += swept->drift;
  if (swept->drift != 0) {
    log::warn("flow counts were off by " + std::to_string(swept->drift) +
              " and are corrected: please report this");
  }
  return true;
}

void Plane::note_flow_stats() {
  const auto stats = maps::sum_flow_stats(doors());
  if (!stats) return;
  // The first time there is nothing to compare with: the maps may be older than this process.
  const rp_flow_stats before = flow_stats_.value_or(*stats);
  flow_table_.refused_lately = stats->refused - before.refused;
  flow_table_.limited_lately = stats->limited - before.limited;
  flow_stats_ = *stats;
}

Result<void> Plane::reconcile() {
  const auto repinned = object_->repin();
  if (!repinned) return repinned.within("reconcile");
  const control::Repairs repairs = controller_->reconcile();
  for (const std::string& name : *repinned) log::warn("reconcile: pinned again: " + name);
  for (const std::string& line : repairs.lines) log::warn("reconcile: mended: " + line);
  repairs_ += repinned->size() + repairs.lines.size();
  return repairs.outcome ? Result<void>() : Result<void>(repairs.outcome).within("reconcile");
}

Result<void> Plane::remove() {
  return dataplane::remove_instance(folder());
}

}  // namespace rampart::daemon
