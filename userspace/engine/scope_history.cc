// SPDX-License-Identifier: Apache-2.0
#include "engine/scope_history.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/effective.h"

namespace rampart::engine {

ScopeHistory::ScopeHistory(ScopeId id, TimePoint process_start)
    : id_(std::move(id)), process_start_(process_start) {}

std::vector<Event> ScopeHistory::set_desired(const Scope& scope, TimePoint now) {
  std::vector<Event> events = settle(now);
  const bool had_no_block = is_listed_ && !block_;
  adopt_block(scope.slow_start);
  const bool block_added = had_no_block && block_;
  if (block_added) histories_.clear();  // S3.14: what was pending without a block counts as present

  nodes_.clear();
  for (const Node& node : scope.nodes) nodes_.emplace(node.identity, node);
  const bool filled = listed_before_ && listed_before_->empty() && !nodes_.empty();
  if (filled) filled_at_ = now;

  const bool baseline = filled || is_baseline(block_added, now);
  std::vector<Event> later = reconcile(baseline, now);
  std::move(later.begin(), later.end(), std::back_inserter(events));

  is_listed_ = true;
  listed_before_.emplace();
  for (const auto& [identity, node] : nodes_) listed_before_->insert(identity);
  return events;
}

std::vector<Event> ScopeHistory::set_eligible(const Identity& identity, bool eligible,
                                              TimePoint now) {
  std::vector<Event> events = settle(now);
  if (eligible) {
    ineligible_.erase(identity);
  } else {
    ineligible_.insert(identity);
  }
  if (!nodes_.contains(identity)) return events;
  if (auto event = look_at(identity, false, now)) events.push_back(*std::move(event));
  return events;
}

std::vector<Event> ScopeHistory::settle(TimePoint now) {
  return reconcile(false, now);
}

void ScopeHistory::remember(const std::set<Identity>& identities) {
  RP_CHECK(!is_listed_);
  if (!identities.empty()) listed_before_ = identities;
}

ScopeState ScopeHistory::state(TimePoint now) const {
  ScopeState state;
  for (const auto& [identity, node] : nodes_) {
    NodeState node_is =
        node_state(node, histories_.at(identity), is_eligible(identity), block_, now);
    if (block_refused_) node_is.reason += "; its slow_start block is not valid and is ignored";
    state.nodes.emplace(identity, std::move(node_is));
  }
  return state;
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
  const bool had_block = block_.has_value();
  block_ = block_refused_ ? std::nullopt : block;
  if (block_ || !had_block) return;
  // S3.13, save what is pending, which does not need a block (S0).
  std::erase_if(histories_,
                [](const auto& known) { return known.second.lifecycle != Lifecycle::kPending; });
}

bool ScopeHistory::is_baseline(bool block_added, TimePoint now) const {
  if (!listed_before_ || block_added) return true;
  return is_within_grace(process_start_, now) || (filled_at_ && is_within_grace(*filled_at_, now));
}

bool ScopeHistory::is_within_grace(TimePoint since, TimePoint now) const {
  // Whole seconds, because a grace of any length must not overflow nanoseconds.
  return block_ && std::chrono::floor<std::chrono::seconds>(now - since) < block_->startup_grace;
}

std::vector<Event> ScopeHistory::reconcile(bool baseline, TimePoint now) {
  std::set<Identity> identities;
  for (const auto& [identity, node] : nodes_) identities.insert(identity);
  for (const auto& [identity, history] : histories_) identities.insert(identity);

  std::vector<Event> events;
  for (const Identity& identity : identities) {
    if (auto event = look_at(identity, baseline, now)) events.push_back(*std::move(event));
  }
  return events;
}

std::optional<Event> ScopeHistory::look_at(const Identity& identity, bool baseline, TimePoint now) {
  NodeHistory& history = histories_[identity];
  const Sighting sighting = {.present = nodes_.contains(identity),
                             .eligible = is_eligible(identity),
                             .baseline = baseline,
                             .known = listed_before_ && listed_before_->contains(identity)};
  const Transition result = transition(history, sighting, block_, now);
  history = result.next;
  std::optional<Event> event;
  if (result.event) {
    event = Event{*result.event, id_, identity, reason_of(*result.event, result.next)};
  }
  if (!sighting.present && history.lifecycle == Lifecycle::kNone) histories_.erase(identity);
  return event;
}

}  // namespace rampart::engine
