// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "engine/scope_history.h"

namespace rampart::engine {
namespace {

// Ids of scopes that differ, appeared or went, ascending.
std::vector<ScopeId> differing(const std::map<ScopeId, ScopeState>& before,
                               const std::map<ScopeId, ScopeState>& after) {
  std::vector<ScopeId> ids;
  for (const auto& [id, state] : before) {
    const auto found = after.find(id);
    if (found == after.end() || found->second != state) ids.push_back(id);
  }
  for (const auto& [id, state] : after) {
    if (!before.contains(id)) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

class Engine::Impl {
 public:
  explicit Impl(EngineConfig config) : config_(config) {}

  void set_desired(const Desired& desired, TimePoint now) {
    now_ = now;
    std::map<ScopeId, const Scope*> listed;
    for (const Scope& scope : desired) listed.emplace(scope.id, &scope);
    for (auto& [id, history] : scopes_) {
      if (!listed.contains(id)) note(history.settle(now));  // its last events
    }
    std::erase_if(scopes_, [&](const auto& scope) { return !listed.contains(scope.first); });
    for (const auto& [id, scope] : listed) note(history_of(id).set_desired(*scope, now));
  }

  void restore(const EngineState& state, TimePoint now) {
    RP_CHECK(scopes_.empty());
    for (const ScopeRecord& record : state) history_of(record.id).restore(record, now);
  }

  EngineState state(TimePoint now) {
    EngineState state;
    for (auto& [id, history] : scopes_) {
      note(history.settle(now));
      if (history.has_snapshot()) state.push_back(history.record());
    }
    return state;
  }

  void remember(const ScopeId& scope, const std::set<Identity>& identities) {
    history_of(scope).remember(identities);
  }

  void set_health(const std::vector<NodeHealth>& verdicts, TimePoint now) {
    now_ = now;
    std::map<ScopeId, std::map<Identity, Health>> of_scopes;
    for (const NodeHealth& one : verdicts) of_scopes[one.scope][one.identity] = one.health;
    for (const auto& [id, nodes] : of_scopes) note(history_of(id).set_health(nodes, now));
  }

  void set_admin(const ScopeId& scope, const Identity& identity, Admin admin, TimePoint now,
                 const std::string& by) {
    now_ = now;
    note(history_of(scope).set_admin(identity, admin, now, by));
  }

  void set_override(const ScopeId& scope, const Identity& identity, std::optional<uint32_t> weight,
                    TimePoint now, const std::string& by) {
    now_ = now;
    note(history_of(scope).set_override(identity, weight, now, by));
  }

  bool start_ramp(const ScopeId& scope, const Identity& identity, TimePoint now) {
    const auto found = scopes_.find(scope);
    if (found == scopes_.end() || !found->second.can_ramp(identity)) return false;
    now_ = now;
    note(found->second.start_ramp(identity, now));
    return true;
  }

  void record_to(Recorder* recorder) { recorder_ = recorder; }

  StepResult step(TimePoint now) {
    now_ = now;
    std::map<ScopeId, ScopeState> states;
    for (auto& [id, history] : scopes_) {
      note(history.settle(now));
      if (history.is_listed()) states.emplace(id, history.state(now));
    }
    StepResult result;
    result.changed = differing(snapshot_->scopes, states);
    result.events = std::exchange(events_, {});
    if (recorder_ != nullptr) record(result.changed, states);
    if (!result.changed.empty()) {
      snapshot_ =
          std::make_shared<const Snapshot>(Snapshot{snapshot_->generation + 1, std::move(states)});
    }
    result.snapshot = snapshot_;
    return result;
  }

  std::optional<TimePoint> next_deadline() const {
    std::optional<TimePoint> next;
    for (const auto& [id, history] : scopes_) {
      const auto deadline = history.next_deadline(now_);
      if (deadline && (!next || *deadline < *next)) next = deadline;
    }
    return next;
  }

  std::shared_ptr<const Snapshot> snapshot() const { return snapshot_; }

 private:
  ScopeHistory& history_of(const ScopeId& id) {
    return scopes_.try_emplace(id, id, config_.process_start).first->second;
  }
  void record(const std::vector<ScopeId>& changed, const std::map<ScopeId, ScopeState>& states) {
    const auto state_in = [](const std::map<ScopeId, ScopeState>& all, const ScopeId& id) {
      const auto found = all.find(id);
      return found == all.end() ? ScopeState() : found->second;
    };
    for (const ScopeId& id : changed) {
      record_changes(*recorder_, id, state_in(snapshot_->scopes, id), state_in(states, id), now_);
    }
  }
  void note(std::vector<Event> events) {
    std::move(events.begin(), events.end(), std::back_inserter(events_));
  }

  const EngineConfig config_;
  TimePoint now_;  // of the last call that had one
  std::map<ScopeId, ScopeHistory> scopes_;
  std::vector<Event> events_;  // since the last step
  Recorder* recorder_ = nullptr;
  std::shared_ptr<const Snapshot> snapshot_ = std::make_shared<const Snapshot>();
};

Engine::Engine(EngineConfig config) : impl_(std::make_unique<Impl>(config)) {}
Engine::~Engine() = default;

void Engine::set_desired(const Desired& desired, TimePoint now) {
  impl_->set_desired(desired, now);
}
void Engine::remember(const ScopeId& scope, const std::set<Identity>& identities) {
  impl_->remember(scope, identities);
}
void Engine::restore(const EngineState& state, TimePoint now) {
  impl_->restore(state, now);
}
EngineState Engine::state(TimePoint now) {
  return impl_->state(now);
}
void Engine::set_health(const ScopeId& scope, const Identity& identity, Health health,
                        TimePoint now) {
  impl_->set_health({{scope, identity, health}}, now);
}
void Engine::set_health(const std::vector<NodeHealth>& verdicts, TimePoint now) {
  impl_->set_health(verdicts, now);
}
void Engine::set_admin(const ScopeId& scope, const Identity& identity, Admin admin, TimePoint now,
                       const std::string& by) {
  impl_->set_admin(scope, identity, admin, now, by);
}
void Engine::set_override(const ScopeId& scope, const Identity& identity,
                          std::optional<uint32_t> weight, TimePoint now, const std::string& by) {
  impl_->set_override(scope, identity, weight, now, by);
}
bool Engine::start_ramp(const ScopeId& scope, const Identity& identity, TimePoint now) {
  return impl_->start_ramp(scope, identity, now);
}
void Engine::record_to(Recorder* recorder) {
  impl_->record_to(recorder);
}
StepResult Engine::step(TimePoint now) {
  return impl_->step(now);
}
std::optional<TimePoint> Engine::next_deadline() const {
  return impl_->next_deadline();
}
std::shared_ptr<const Snapshot> Engine::snapshot() const {
  return impl_->snapshot();
}

}  // namespace rampart::engine
