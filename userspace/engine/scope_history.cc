// SPDX-License-Identifier: Apache-2.0
#include "engine/scope_history.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "engine/effective.h"

namespace rampart::engine {
namespace {

void append(std::vector<Event>& events, std::vector<Event> later) {
  std::move(later.begin(), later.end(), std::back_inserter(events));
}

// What another clock dated in the future happened now (S3.21).
NodeHistory not_after(NodeHistory history, TimePoint now) {
  history.ramp_start = std::min(history.ramp_start, now);
  history.last_transition = std::min(history.last_transition, now);
  if (history.unusable_since) history.unusable_since = std::min(*history.unusable_since, now);
  if (history.absent_since) history.absent_since = std::min(*history.absent_since, now);
  return history;
}

}  // namespace

ScopeHistory::ScopeHistory(ScopeId id, TimePoint process_start)
    : id_(std::move(id)), process_start_(process_start) {}

std::vector<Event> ScopeHistory::set_desired(const Scope& scope, TimePoint now) {
  std::vector<Event> events = settle(now);
  adopt_block(scope.slow_start);
  adopt_check(scope.check);
  panic_policy_ = scope.panic;
  // Under the new window, while it can still be seen that they had left (S3.15).
  end_tombstones(now);
  is_desired_ = true;
  if (!block_) had_block_ = false;                  // S3.13, whether or not there is a set
  if (!scope.synced && !is_listed_) return events;  // S3.26

  const bool block_added = listed_before_ && block_ && !had_block_;
  had_block_ = block_.has_value();
  // S3.14: what was pending without a block counts as present.
  if (block_added) {
    for (auto& [identity, history] : histories_) history = {};
  }
  if (scope.synced) adopt_nodes(scope.nodes);
  const bool filled = listed_before_ && listed_before_->empty() && !nodes_.empty();
  if (filled) filled_at_ = now;
  is_listed_ = true;
  append(events, reconcile(filled || is_baseline(block_added, now), now));
  if (!block_) filled_at_.reset();  // S3.13: the state that is dropped
  listed_before_.emplace();
  for (const auto& [identity, node] : nodes_) listed_before_->insert(identity);
  return events;
}

template <typename Say>
std::vector<Event> ScopeHistory::change(const std::vector<Identity>& identities, TimePoint now,
                                        Say say) {
  std::vector<Event> events = settle(now);
  bool any_listed = false;
  for (const Identity& identity : identities) {
    say(identity, conditions_[identity]);
    if (conditions_[identity] == Condition()) conditions_.erase(identity);
    if (!nodes_.contains(identity)) continue;
    any_listed = true;
    if (auto event = look_at(identity, false, now)) events.push_back(*std::move(event));
  }
  if (any_listed) look_for_panic(now);
  return events;
}

std::vector<Event> ScopeHistory::set_health(const std::map<Identity, Health>& verdicts,
                                            TimePoint now) {
  std::vector<Identity> identities;
  for (const auto& [identity, health] : verdicts) identities.push_back(identity);
  return change(identities, now, [&](const Identity& identity, Condition& said) {
    said.health = verdicts.at(identity);
    said.checked_by = said.health == Health::kUnknown ? std::nullopt : check_;
  });
}

std::vector<Event> ScopeHistory::set_admin(const Identity& identity, Admin admin, TimePoint now,
                                           const std::string& by) {
  return change({identity}, now, [&](const Identity&, Condition& said) {
    said.admin = admin;
    said.admin_by = admin == Admin::kNone ? "" : by;
  });
}

std::vector<Event> ScopeHistory::set_override(const Identity& identity,
                                              std::optional<uint32_t> weight, TimePoint now,
                                              const std::string& by) {
  return change({identity}, now, [&](const Identity&, Condition& said) {
    said.override_weight = weight;
    said.override_by = weight ? by : "";
  });
}

bool ScopeHistory::can_ramp(const Identity& identity) const {
  return block_ && nodes_.contains(identity);
}

std::vector<Event> ScopeHistory::start_ramp(const Identity& identity, TimePoint now) {
  RP_CHECK(can_ramp(identity));
  std::vector<Event> events = settle(now);
  NodeHistory& history = histories_.at(identity);
  const Transition result = ramp_on_request(history, is_eligible(identity, false), now);
  history = result.next;
  if (result.event) events.push_back(event_of(*result.event, identity));
  return events;
}

std::vector<Event> ScopeHistory::settle(TimePoint now) {
  if (is_listed_) return reconcile(false, now);
  // What was restored is not known to be there or gone before the first set; what had left before
  // is, once the window is known.
  if (is_desired_) end_tombstones(now);
  return {};
}

void ScopeHistory::remember(const std::set<Identity>& identities) {
  RP_CHECK(!is_listed_);
  if (identities.empty() || listed_before_) return;
  listed_before_ = identities;
  had_block_ = true;  // nobody can tell: then what joined meanwhile is new, not part of a baseline
}

void ScopeHistory::restore(const ScopeRecord& record, TimePoint now) {
  RP_CHECK(!listed_before_);
  listed_before_.emplace();
  had_block_ = record.had_block;
  if (record.filled_at) filled_at_ = std::min(*record.filled_at, now);
  // Whoever serves by these weights went on while this process was away.
  if (record.panic_seen) panic_seen_ = std::min(*record.panic_seen, now);
  for (const auto& [identity, node] : record.nodes) {
    if (node.listed) listed_before_->insert(identity);
    if (node.discovered) discovered_.insert(identity);
    if (node.condition != Condition()) conditions_[identity] = node.condition;
    if (node.history != NodeHistory()) histories_[identity] = not_after(node.history, now);
  }
}

ScopeState ScopeHistory::state(TimePoint now) const {
  ScopeState state;
  state.panic = panic_seen_.has_value();
  state.block_refused = block_refused_;
  for (const auto& [identity, node] : nodes_) {
    const Standing standing = {.condition = condition(identity),
                               .eligible = is_eligible(identity, false),
                               .panic = state.panic};
    state.nodes.emplace(identity, node_state(node, histories_.at(identity), standing, block_, now));
  }
  return state;
}

ScopeRecord ScopeHistory::record() const {
  RP_CHECK(listed_before_);
  ScopeRecord record = {.id = id_,
                        .had_block = had_block_,
                        .filled_at = filled_at_,
                        .panic_seen = panic_seen_,
                        .nodes = {}};
  for (const Identity& identity : *listed_before_) record.nodes[identity].listed = true;
  for (const auto& [identity, history] : histories_) record.nodes[identity].history = history;
  for (const auto& [identity, said] : conditions_) record.nodes[identity].condition = said;
  for (const Identity& identity : discovered_) record.nodes[identity].discovered = true;
  return record;
}

std::optional<TimePoint> ScopeHistory::next_deadline(TimePoint now) const {
  std::optional<TimePoint> next;
  if (!block_) return next;
  for (const auto& [identity, history] : histories_) {
    const auto refresh = next_refresh(history, *block_, now);
    if (refresh && (!next || *refresh < *next)) next = refresh;
  }
  return next;
}

void ScopeHistory::adopt_block(const std::optional<SlowStart>& block) {
  block_refused_ = block && !is_valid(*block);
  block_ = block_refused_ ? std::nullopt : block;
}

// H3: another definition's verdict says nothing.
void ScopeHistory::adopt_check(const std::optional<uint64_t>& check) {
  check_ = check;
  for (auto& [identity, said] : conditions_) {
    if (said.checked_by == check) continue;
    said.health = Health::kUnknown;
    said.checked_by.reset();
  }
}

void ScopeHistory::adopt_nodes(const std::vector<Node>& nodes) {
  nodes_.clear();
  for (const Node& node : nodes) {
    nodes_.emplace(node.identity, node);
    if (node.discovered) {
      discovered_.insert(node.identity);
    } else {
      discovered_.erase(node.identity);
    }
  }
}

bool ScopeHistory::is_baseline(bool block_added, TimePoint now) const {
  if (!listed_before_ || block_added) return true;
  return is_within_grace(process_start_, now) || (filled_at_ && is_within_grace(*filled_at_, now));
}

bool ScopeHistory::is_within_grace(TimePoint since, TimePoint now) const {
  // Whole seconds, because a grace of any length must not overflow nanoseconds.
  return block_ && std::chrono::floor<std::chrono::seconds>(now - since) < block_->startup_grace;
}

Condition ScopeHistory::condition(const Identity& identity) const {
  const auto said = conditions_.find(identity);
  return said == conditions_.end() ? Condition() : said->second;
}

bool ScopeHistory::is_known(const Identity& identity) const {
  return listed_before_ && listed_before_->contains(identity);
}

bool ScopeHistory::is_eligible(const Identity& identity, bool baseline) const {
  const Condition said = condition(identity);
  if (said.admin == Admin::kMaintenance) return false;
  if (said.health != Health::kUnknown) return said.health == Health::kUp;
  if (!check_) return true;
  // H2: without a verdict, what was serving goes on, and a newcomer waits for its first pass.
  const auto found = histories_.find(identity);
  const Lifecycle lifecycle =
      found == histories_.end() ? Lifecycle::kNone : found->second.lifecycle;
  if (lifecycle == Lifecycle::kNone) return baseline || is_known(identity);
  return lifecycle != Lifecycle::kPending;
}

void ScopeHistory::end_tombstones(TimePoint now) {
  std::vector<Identity> absent;
  for (const auto& [identity, history] : histories_) {
    if (!is_known(identity)) absent.push_back(identity);
  }
  for (const Identity& identity : absent) look_at(identity, false, now);
}

void ScopeHistory::keep_marks_young(TimePoint now) {
  if (!panic_seen_ || now <= *panic_seen_) return;
  for (const auto& [identity, node] : nodes_) {
    const auto history = histories_.find(identity);
    if (history == histories_.end() || !history->second.unusable_since) continue;
    if (is_candidate(identity)) *history->second.unusable_since += now - *panic_seen_;
  }
  panic_seen_ = now;
}

bool ScopeHistory::is_candidate(const Identity& identity) const {
  const Condition said = condition(identity);
  return engine::is_candidate(said.admin,
                              said.override_weight.value_or(nodes_.at(identity).weight));
}

void ScopeHistory::look_for_panic(TimePoint now) {
  uint64_t candidates = 0, eligible = 0;
  for (const auto& [identity, node] : nodes_) {
    if (!is_candidate(identity)) continue;
    ++candidates;
    if (is_eligible(identity, false)) ++eligible;
  }
  panic_seen_ = is_panic(panic_policy_, candidates, eligible) ? std::optional(now) : std::nullopt;
}

std::vector<Event> ScopeHistory::reconcile(bool baseline, TimePoint now) {
  keep_marks_young(now);
  std::set<Identity> identities = listed_before_.value_or(std::set<Identity>());
  for (const auto& [identity, node] : nodes_) identities.insert(identity);
  for (const auto& [identity, history] : histories_) identities.insert(identity);

  std::vector<Event> events;
  for (const Identity& identity : identities) {
    if (auto event = look_at(identity, baseline, now)) events.push_back(*std::move(event));
  }
  look_for_panic(now);
  return events;
}

std::optional<Event> ScopeHistory::look_at(const Identity& identity, bool baseline, TimePoint now) {
  const bool eligible = is_eligible(identity, baseline);
  NodeHistory& history = histories_[identity];
  const Sighting sighting = {.present = nodes_.contains(identity),
                             .eligible = eligible,
                             .baseline = baseline,
                             .known = is_known(identity)};
  const Transition result = transition(history, sighting, block_, now);
  history = result.next;
  std::optional<Event> event;
  if (result.event) event = event_of(*result.event, identity);
  if (!sighting.present && history.lifecycle == Lifecycle::kNone) forget(identity);
  return event;
}

void ScopeHistory::forget(const Identity& identity) {
  histories_.erase(identity);
  const bool was_discovered = discovered_.erase(identity) > 0;
  const auto said = conditions_.find(identity);
  if (said == conditions_.end()) return;
  said->second.health = Health::kUnknown;
  said->second.checked_by.reset();
  if (was_discovered || said->second == Condition()) conditions_.erase(said);  // B6
}

Event ScopeHistory::event_of(Event::Kind kind, const Identity& identity) const {
  return {kind, id_, identity, reason_of(kind, histories_.at(identity))};
}

}  // namespace rampart::engine
