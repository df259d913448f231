// SPDX-License-Identifier: Apache-2.0
// The pool of a scenario and the process that balances over it: what is listed lives here, what the
// process knows in its engine, and a restart takes the one from the other.
#ifndef RAMPART_TOOLS_SIMULATE_POOL_H_
#define RAMPART_TOOLS_SIMULATE_POOL_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "engine/engine.h"
#include "simulate/scenario.h"

namespace rampart::simulate {

class Pool {
 public:
  // The process starts at 0 s, and sees the pool then.
  explicit Pool(const Scenario& scenario);

  // Everything that a moment does. Returns the last step of each process that ends by it.
  std::vector<engine::StepResult> act(const Moment& moment);
  // While the process is away: when it is back.
  std::optional<TimePoint> back_at() const { return back_at_; }
  // REQUIRES: *back_at() is now.
  void come_back();

  // REQUIRES: the process is not away.
  engine::StepResult step(TimePoint now) { return engine_->step(now); }
  std::optional<TimePoint> next_deadline() const { return engine_->next_deadline(); }

  // The pool after a step.
  static const engine::ScopeState& state_in(const engine::StepResult& result);
  // As of the last step; what a VIP goes on with while the process is away.
  const engine::ScopeState& state() const;
  const Settings& settings() const { return settings_; }

 private:
  void change_listing(const Action& action);
  void hear(const Action& action, TimePoint now);
  engine::StepResult leave(const Action& action, TimePoint now);
  void tell(TimePoint now);

  std::map<Identity, engine::Node> nodes_;
  Settings settings_;
  std::unique_ptr<engine::Engine> engine_;

  // While away.
  std::optional<TimePoint> back_at_;
  std::optional<engine::EngineState> kept_;  // the state file
  std::set<Identity> pinned_;                // identities in the pinned maps
};

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_POOL_H_
