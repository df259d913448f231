// SPDX-License-Identifier: Apache-2.0
// The control loop: configuration and time in, map writes out.
//
// accept() and tick() do the same thing: step the engine, make a plan from what should be and what
// is, apply it, until the plan is empty or waits. Nothing here sleeps, reads a clock or a file; the
// daemon says what time it is and when a grace period or a sweep ended.
//
// Thread-safety: none; the control thread owns it.
#ifndef RAMPART_USERSPACE_CONTROL_CONTROLLER_H_
#define RAMPART_USERSPACE_CONTROL_CONTROLLER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "control/apply.h"
#include "control/config.h"
#include "control/desired.h"
#include "control/drains.h"
#include "control/next_hops.h"
#include "control/observed.h"
#include "control/repair.h"
#include "control/tables.h"
#include "engine/engine.h"
#include "maps/grace.h"
#include "maps/map_store.h"

namespace rampart::control {

class Controller {
 public:
  // REQUIRES: all outlive the controller.
  struct Seams {
    maps::MapStore& store;
    maps::GracePeriods& grace;
    const NextHops& hops;
  };
  Controller(Seams seams, TimePoint process_start);

  // Reads back what an earlier process left in the maps, so that the first accept() changes only
  // what differs (W8, O1). REQUIRES: nothing was accepted yet.
  Result<void> adopt();

  // What an earlier process knew, in the times of this boot (S3.21). What it says of a scope goes
  // before what the pinned maps say. REQUIRES: nothing was accepted yet.
  void restore(const engine::EngineState& state, TimePoint now) { engine_.restore(state, now); }
  // What restore() takes.
  engine::EngineState engine_state(TimePoint now) { return engine_.state(now); }

  // Makes `config` the configuration in force. All or nothing: if it does not fit (O8) nothing
  // changes and the former one stays in force (C3). A map write that fails later is not a reason to
  // go back: it is returned, and tried again by the next tick.
  Result<void> accept(Config config, TimePoint now);

  // What time and events changed since; to be called when a grace period ends, at next_deadline(),
  // and once a second for what drains. Cheap when nothing changed.
  Result<void> tick(TimePoint now);
  std::optional<TimePoint> next_deadline() const;

  // What checks and operators say of a node (Engine::set_*): it counts from the next tick on.
  void set_health(const ScopeId& scope, const Identity& identity, engine::Health health,
                  TimePoint now) {
    set_health({{scope, identity, health}}, now);
  }
  void set_health(const std::vector<engine::NodeHealth>& verdicts, TimePoint now);
  void set_admin(const ScopeId& scope, const Identity& identity, engine::Admin admin, TimePoint now,
                 const std::string& by = {});
  void set_override(const ScopeId& scope, const Identity& identity, std::optional<uint32_t> weight,
                    TimePoint now, const std::string& by = {});
  // False where there is nothing to ramp (S3.25).
  bool start_ramp(const ScopeId& scope, const Identity& identity, TimePoint now);

  // Reads the maps back and mends what somebody else changed (O6). To be called now and then.
  Repairs reconcile();
  // Routes or neighbours changed.
  Result<void> refresh_next_hops();
  // A sweep of the whole flow table begins; it ended.
  void sweep_began();
  void sweep_ended();

  // What is, for those who show it.
  const std::optional<Config>& config() const { return config_; }
  uint64_t epoch() const { return epoch_; }  // accepted configurations
  const engine::Snapshot& snapshot() const { return *engine_.snapshot(); }
  const Observed& observed() const { return observed_; }
  SlotMoves slots_moved(const VipAddress& vip) const;
  // Lifecycle events since the last call, in order.
  std::vector<engine::Event> take_events();
  // Drains that ended since the last call.
  std::vector<Drained> take_drained();

 private:
  void remember_pinned_nodes(const Config& config);
  Result<void> converge(TimePoint now);
  // What is remembered by VIP goes with it.
  void forget_all_but(const DesiredPlane& desired);

  Seams seams_;
  engine::Engine engine_;
  Observed observed_;
  Tables tables_;
  std::optional<Config> config_;
  uint64_t epoch_ = 0;
  TimePoint refill_at_;      // the next refill is not before
  bool off_goal_ = false;    // there is something to refill
  bool unfinished_ = false;  // the last plan waited or failed, or the engine was told something
  std::map<VipAddress, SlotMoves> slots_moved_;
  std::vector<engine::Event> events_;
  Drains drains_;
  std::vector<Drained> drained_;
};

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONTROLLER_H_
