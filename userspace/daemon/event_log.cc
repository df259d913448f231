// SPDX-License-Identifier: Apache-2.0
#include "daemon/event_log.h"

#include <chrono>

#include "base/log.h"

namespace rampart::daemon {
namespace {

// S3.7 holds for every node that returns; of one without a ramp there is nothing to say.
bool is_of_a_ramp(const engine::Event& event, const engine::Snapshot& snapshot) {
  if (event.kind != engine::Event::Kind::kResumed) return true;
  const auto scope = snapshot.scopes.find(event.scope);
  if (scope == snapshot.scopes.end()) return false;
  const auto node = scope->second.nodes.find(event.identity);
  return node != scope->second.nodes.end() && node->second.lifecycle == engine::Lifecycle::kRamping;
}

}  // namespace

void EventLog::note(control::Controller& controller) {
  for (const control::Drained& one : controller.take_drained()) {
    const std::string left = std::to_string(one.flows_left) + " flows were left at its deadline";
    log::info("drained: " + one.backend + (one.removed ? ", which was removed" : "") + ": " +
              (one.flows_left == 0 ? "its last flow ended" : left));
  }
  for (const engine::Event& event : controller.take_events()) {
    if (!is_of_a_ramp(event, controller.snapshot())) continue;
    log::info("ramp " + std::string(engine::name_of(event.kind)) + ": " + event.scope + "/" +
              event.identity + (event.reason.empty() ? "" : ": " + event.reason));
  }
  note_panic(controller.snapshot());
}

// H6
void EventLog::note_panic(const engine::Snapshot& snapshot) {
  std::set<ScopeId> now;
  for (const auto& [scope, state] : snapshot.scopes) {
    if (state.panic) now.insert(scope);
  }
  for (const ScopeId& scope : now) {
    if (in_panic_.contains(scope)) continue;
    log::warn("panic: " + scope + ": too few of its nodes are up, so health is ignored");
  }
  for (const ScopeId& scope : in_panic_) {
    if (!now.contains(scope)) log::info("panic is over: " + scope);
  }
  in_panic_ = std::move(now);
}

void EventLog::note(const health::VerdictChange& change) {
  const std::string node = change.scope + "/" + change.identity;
  const std::string line = node + ": " + engine::name_of(change.health) + ", " + change.reason;
  change.health == engine::Health::kDown ? log::warn(line) : log::info(line);
  verdicts_[{change.scope, change.identity}] = {.reason = change.reason,
                                                .at = std::chrono::system_clock::now()};
}

void EventLog::keep_verdicts_of(const engine::Snapshot& snapshot) {
  std::erase_if(verdicts_, [&](const auto& entry) {
    const auto scope = snapshot.scopes.find(entry.first.first);
    return scope == snapshot.scopes.end() || !scope->second.nodes.contains(entry.first.second);
  });
}

const api::VerdictReading* EventLog::verdict(const ScopeId& scope, const Identity& identity) const {
  const auto found = verdicts_.find({scope, identity});
  return found == verdicts_.end() ? nullptr : &found->second;
}

}  // namespace rampart::daemon
