// SPDX-License-Identifier: Apache-2.0
#include "simulate/pool.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"
#include "simulate/actions.h"

namespace rampart::simulate {
namespace {

using engine::Admin;
using engine::Engine;
using engine::EngineConfig;
using engine::Health;

constexpr const char* kPool = "pool";

bool ends_process(Verb verb) {
  return verb == Verb::kRestart || verb == Verb::kReboot;
}

}  // namespace

Pool::Pool(const Scenario& scenario)
    : settings_(scenario.settings), engine_(std::make_unique<Engine>(EngineConfig{})) {
  for (const engine::Node& node : scenario.pool) nodes_[node.identity] = node;
  tell(TimePoint());
}

std::vector<engine::StepResult> Pool::act(const Moment& moment) {
  bool listing_changed = false;
  for (const Action& action : moment.actions) {
    if (!changes_listing(action.verb)) continue;
    change_listing(action);
    listing_changed = true;
  }
  if (listing_changed && !back_at_) tell(moment.at);
  std::vector<engine::StepResult> last_steps;
  for (const Action& action : moment.actions) {
    if (changes_listing(action.verb)) continue;
    if (ends_process(action.verb)) {
      last_steps.push_back(leave(action, moment.at));
    } else {
      hear(action, moment.at);
    }
  }
  return last_steps;
}

void Pool::change_listing(const Action& action) {
  if (action.verb == Verb::kSet) settings_ = action.settings;
  for (const engine::Node& node : action.nodes) {
    if (action.verb == Verb::kAdd) nodes_[node.identity] = node;
    if (action.verb == Verb::kRemove) nodes_.erase(node.identity);
    if (action.verb == Verb::kWeight) nodes_.at(node.identity).weight = node.weight;
    if (action.verb == Verb::kMove) nodes_.at(node.identity).addresses = node.addresses;
  }
}

void Pool::hear(const Action& action, TimePoint now) {
  for (const auto& node : action.nodes) {
    const Identity& id = node.identity;
    if (action.ramp) engine_->start_ramp(kPool, id, now);
    switch (action.verb) {
      case Verb::kOverride:
        engine_->set_override(kPool, id, node.weight, now);
        break;
      case Verb::kClear:
        engine_->set_override(kPool, id, std::nullopt, now);
        break;
      case Verb::kDown:
        engine_->set_health(kPool, id, Health::kDown, now);
        break;
      case Verb::kUp:
        engine_->set_health(kPool, id, Health::kUp, now);
        break;
      case Verb::kUnknown:
        engine_->set_health(kPool, id, Health::kUnknown, now);
        break;
      case Verb::kDrain:
        engine_->set_admin(kPool, id, Admin::kDrain, now);
        break;
      case Verb::kMaintenance:
        engine_->set_admin(kPool, id, Admin::kMaintenance, now);
        break;
      case Verb::kUndrain:
      case Verb::kReady:
        engine_->set_admin(kPool, id, Admin::kNone, now);
        break;
      default:
        RP_CHECK(false);
    }
  }
}

engine::StepResult Pool::leave(const Action& action, TimePoint now) {
  back_at_ = now + action.away;
  engine::StepResult last = engine_->step(now);
  kept_ = action.state_lost ? std::nullopt : std::optional(engine_->state(now));
  pinned_.clear();
  if (action.verb != Verb::kReboot) {
    for (const auto& [identity, node] : state().nodes) pinned_.insert(identity);
  }
  if (action.away == Duration(0)) come_back();
  return last;
}

void Pool::come_back() {
  const TimePoint now = *back_at_;
  back_at_.reset();
  engine_ = std::make_unique<Engine>(EngineConfig{.process_start = now});
  if (kept_) {
    engine_->restore(*kept_, now);
  } else if (!pinned_.empty()) {
    engine_->remember(kPool, pinned_);
  }
  tell(now);
}

void Pool::tell(TimePoint now) {
  engine::Scope scope = {.id = kPool, .nodes = {}, .slow_start = settings_.slow_start};
  for (const auto& [identity, node] : nodes_) {
    scope.nodes.push_back(node);
    scope.nodes.back().discovered = settings_.discovered;
  }
  if (settings_.check) scope.check = hash64(*settings_.check);
  scope.panic = settings_.panic;
  engine_->set_desired({scope}, now);
}

const engine::ScopeState& Pool::state_in(const engine::StepResult& result) {
  return result.snapshot->scopes.at(kPool);
}

const engine::ScopeState& Pool::state() const {
  return engine_->snapshot()->scopes.at(kPool);
}

}  // namespace rampart::simulate
