// SPDX-License-Identifier: Apache-2.0
#include "property/lifecycle_model.h"

#include <algorithm>

#include "engine/curve.h"

namespace rampart::engine {

const SlowStart* LifecycleModel::block() const {
  if (!scope_ || !scope_->slow_start || !is_valid(*scope_->slow_start)) return nullptr;
  return &*scope_->slow_start;
}

// H2: only a newcomer waits for its first pass.
bool LifecycleModel::is_eligible(const Record& record, bool baseline, bool known) const {
  if (record.condition.admin == Admin::kMaintenance) return false;
  if (record.condition.health == Health::kDown) return false;
  if (record.condition.health == Health::kUp) return true;
  if (!scope_->check) return true;
  if (record.lifecycle == Lifecycle::kPending) return false;
  return record.lifecycle != Lifecycle::kNone || baseline || known;
}

bool LifecycleModel::panic_uses(const Record& record) const {
  return panic_ && record.listed && record.condition.admin == Admin::kNone && record.target() > 0 &&
         !is_eligible(record, false, true);
}

bool LifecycleModel::is_in_grace(TimePoint now) const {
  if (block() == nullptr) return false;
  if (now < process_start_ + block()->startup_grace) return true;
  return filled_at_ && now < *filled_at_ + block()->startup_grace;
}

// --- What is told

void LifecycleModel::set_desired(const std::optional<Scope>& scope, TimePoint now) {
  look_again(now);
  if (!scope) {
    auto events = std::move(events_);
    *this = LifecycleModel(process_start_);
    events_ = std::move(events);
    last_call_ = now;
    return;
  }
  scope_ = scope;
  for (auto& [identity, record] : records_) {
    if (record.condition.checked_by == scope->check) continue;
    record.condition.health = Health::kUnknown;  // H3
    record.condition.checked_by.reset();
  }
  if (block() == nullptr) drop_block();  // S3.13
  if (block() != nullptr) end_tombstones(now);
  if (scope->synced || seen_) look_at_set(*scope, now);
  if (block() == nullptr) filled_at_.reset();
}

void LifecycleModel::look_at_set(const Scope& scope, TimePoint now) {
  bool baseline = false;
  if (block() != nullptr && !had_block_) {  // S3.14: every node, and so who waits for a pass
    baseline = true;
    for (auto& [identity, record] : records_) record.lifecycle = Lifecycle::kNone;
  }
  had_block_ = block() != nullptr;

  std::set<Identity> known;
  for (const auto& [identity, record] : records_) {
    if (record.listed) known.insert(identity);
  }
  if (scope.synced) {
    if (!has_snapshot_) baseline = true;
    if (has_snapshot_ && known.empty() && !scope.nodes.empty()) {  // S3.12
      filled_at_ = now;
      baseline = true;
    }
    take_presence(scope.nodes, now);
    seen_ = has_snapshot_ = true;
  }
  // S3.18: panic went on in the kernel while no process was there.
  if (seen_ && panic_before_) {
    const Duration away = std::max(now - *panic_before_, Duration(0));
    for (auto& [identity, record] : records_) {
      const bool is_candidate = record.condition.admin == Admin::kNone && record.target() > 0;
      if (record.listed && record.mark && is_candidate) *record.mark += away;
    }
    panic_before_.reset();
  }
  if (is_in_grace(now)) baseline = true;
  look_at_all(now, baseline, known);
}

void LifecycleModel::remember(const std::set<Identity>& identities) {
  for (const Identity& identity : identities) records_[identity].listed = true;
  has_snapshot_ = true;
  had_block_ = true;  // nothing says that a block is new, so S3.14 does not apply
}

void LifecycleModel::set_health(const Identity& identity, Health health, TimePoint now) {
  look_again(now);
  Condition& condition = records_[identity].condition;
  condition.health = health;
  condition.checked_by.reset();
  if (scope_ && health != Health::kUnknown) condition.checked_by = scope_->check;
  look_again(now);
}

void LifecycleModel::set_admin(const Identity& identity, Admin admin, TimePoint now) {
  look_again(now);
  records_[identity].condition.admin = admin;
  look_again(now);
}

void LifecycleModel::set_override(const Identity& identity, std::optional<uint32_t> weight,
                                  TimePoint now) {
  look_again(now);
  records_[identity].condition.override_weight = weight;
  look_again(now);
}

bool LifecycleModel::start_ramp(const Identity& identity, TimePoint now) {
  if (!seen_ || block() == nullptr || !records_[identity].listed) return false;
  look_again(now);
  Record& record = records_[identity];
  if (record.lifecycle == Lifecycle::kPending) return true;
  record.lifecycle = Lifecycle::kRamping;
  record.start = record.last_transition = now;
  record.mark.reset();
  if (!is_eligible(record, false, true)) record.mark = now;
  events_.emplace_back(identity, Event::Kind::kRestarted);
  look_again(now);
  return true;
}

LifecycleModel LifecycleModel::restarted(TimePoint saved, TimePoint start, Duration shift) const {
  LifecycleModel before = *this;
  before.look_again(saved);
  LifecycleModel next(start);
  next.last_call_ = start;
  if (!before.has_snapshot_) return next;
  next.has_snapshot_ = true;
  next.had_block_ = before.had_block_;
  const auto moved = [&](TimePoint at) { return std::min(at + shift, start); };
  if (before.filled_at_) next.filled_at_ = moved(*before.filled_at_);
  if (shift == Duration(0)) {
    next.panic_before_ = before.panic_ ? std::optional(saved) : before.panic_before_;
  }
  if (next.panic_before_) next.panic_before_ = std::min(*next.panic_before_, start);
  next.records_ = before.records_;
  for (auto& [identity, record] : next.records_) {
    record.start = moved(record.start);
    record.last_transition = moved(record.last_transition);
    if (record.mark) record.mark = moved(*record.mark);
    if (record.tombstone) record.tombstone = moved(*record.tombstone);
  }
  return next;
}

// --- Presence

// S3.11: what comes back at the end of its tombstone or later has no state.
void LifecycleModel::end_tombstones(TimePoint now) {
  for (auto& [identity, record] : records_) {
    if (!record.tombstone || now < *record.tombstone + block()->window) continue;
    record.lifecycle = Lifecycle::kNone;
    record.mark.reset();
    record.tombstone.reset();
    forget_verdict(record);
  }
}

void LifecycleModel::take_presence(const std::vector<Node>& nodes, TimePoint now) {
  std::map<Identity, Node> listed;
  for (const Node& node : nodes) listed[node.identity] = node;
  for (const auto& [identity, node] : listed) {
    Record& record = records_[identity];
    record.listed = true;
    record.weight = node.weight;
    record.discovered = node.discovered;
  }
  for (auto& [identity, record] : records_) {
    if (!record.listed || listed.contains(identity)) continue;
    record.listed = false;
    if (block() != nullptr && record.lifecycle != Lifecycle::kNone) {
      record.tombstone = record.last_transition = now;
    } else {
      record.lifecycle = Lifecycle::kNone;
      forget_verdict(record);
    }
  }
}

// S0: what is left is who waits for its first pass, as long as it is listed.
void LifecycleModel::drop_block() {
  had_block_ = false;
  filled_at_.reset();
  for (auto& [identity, record] : records_) {
    const bool was_away = record.tombstone.has_value();
    if (record.lifecycle != Lifecycle::kPending || was_away) record.lifecycle = Lifecycle::kNone;
    record.mark.reset();
    record.tombstone.reset();
    if (was_away) forget_verdict(record);
  }
}

void LifecycleModel::forget_verdict(Record& record) {
  record.condition.health = Health::kUnknown;
  record.condition.checked_by.reset();
  if (!record.discovered) return;
  record.condition.admin = Admin::kNone;  // B6
  record.condition.override_weight.reset();
}

// --- The table

// S3.18: a node that panic uses serves, so its mark keeps its age. A clock that moves back gives no
// time.
void LifecycleModel::pass_time(TimePoint now) {
  const Duration passed = std::max(now - last_call_, Duration(0));
  for (auto& [identity, record] : records_) {
    if (record.mark && panic_uses(record)) *record.mark += passed;
  }
  last_call_ = now;
}

// Time has passed, or something was said; no node is new.
void LifecycleModel::look_again(TimePoint now) {
  if (!scope_) {
    last_call_ = now;
    return;
  }
  pass_time(now);
  if (block() != nullptr) end_tombstones(now);
  std::set<Identity> known;
  for (const auto& [identity, record] : records_) known.insert(identity);
  look_at_all(now, false, known);
}

void LifecycleModel::look_at_all(TimePoint now, bool baseline, const std::set<Identity>& known) {
  last_call_ = now;
  if (!seen_) return;
  uint64_t candidates = 0;
  uint64_t eligible = 0;
  for (auto& [identity, record] : records_) {
    if (!record.listed) continue;
    const auto event = walk_rows(record, baseline, known.contains(identity), now);
    if (event) events_.emplace_back(identity, *event);
    if (record.condition.admin != Admin::kNone || record.target() == 0) continue;
    ++candidates;
    if (is_eligible(record, false, true)) ++eligible;
  }
  panic_ = is_panic(scope_->panic, candidates, eligible);
}

std::optional<Event::Kind> LifecycleModel::walk_rows(Record& record, bool baseline, bool known,
                                                     TimePoint now) {
  const bool eligible = is_eligible(record, baseline, known);
  const bool fresh = !baseline && !known;
  if (block() != nullptr) {
    if (eligible) return walk_eligible(record, fresh, now);
    walk_ineligible(record, fresh, now);
    return std::nullopt;
  }
  // S0: pending is all there is.
  if (eligible) record.lifecycle = Lifecycle::kNone;
  if (!eligible && fresh) record.lifecycle = Lifecycle::kPending;
  return std::nullopt;
}

std::optional<Event::Kind> LifecycleModel::walk_eligible(Record& record, bool fresh,
                                                         TimePoint now) {
  const Record before = record;
  const bool no_state = record.lifecycle == Lifecycle::kNone;
  record.mark.reset();
  record.tombstone.reset();
  const auto ramp = [&](Event::Kind event) {
    record.lifecycle = Lifecycle::kRamping;
    record.start = record.last_transition = now;
    return event;
  };

  if (no_state && !fresh) {  // S3.1 S3.2
    record.lifecycle = Lifecycle::kMature;
    record.last_transition = now;
    return std::nullopt;
  }
  if (no_state) return ramp(Event::Kind::kBegan);                                 // S3.3
  if (record.lifecycle == Lifecycle::kPending) return ramp(Event::Kind::kBegan);  // S3.4
  if (before.mark && now - *before.mark > block()->window) {                      // S3.5
    return ramp(Event::Kind::kRestarted);
  }
  if (before.mark && block()->on_recovery == OnRecovery::kRamp) {
    return ramp(Event::Kind::kRestarted);
  }
  if (record.lifecycle == Lifecycle::kRamping && now - record.start >= block()->window) {  // S3.6
    record.lifecycle = Lifecycle::kMature;
    record.last_transition = now;
    return Event::Kind::kFinished;
  }
  if (!before.mark && !before.tombstone) return std::nullopt;  // S3.7
  record.last_transition = now;
  const bool was_unusable = before.mark && *before.mark < now;
  const bool was_away = before.tombstone && *before.tombstone < now;
  if (!was_unusable && !was_away) return std::nullopt;
  return Event::Kind::kResumed;
}

void LifecycleModel::walk_ineligible(Record& record, bool fresh, TimePoint now) {
  if (record.tombstone) {
    record.tombstone.reset();
    record.last_transition = now;
  }
  if (record.lifecycle == Lifecycle::kPending) return;
  if (record.lifecycle == Lifecycle::kNone && fresh) {  // S3.10
    record.lifecycle = Lifecycle::kPending;
    record.last_transition = now;
    return;
  }
  if (record.lifecycle == Lifecycle::kNone) record.lifecycle = Lifecycle::kMature;  // S3.9
  if (record.mark) return;                                                          // S3.8
  record.mark = record.last_transition = now;
}

// --- The answer

Weight LifecycleModel::ramped(const Record& record, TimePoint now) const {
  const Weight whole = Weight::whole(record.target());
  if (block() == nullptr || record.target() == 0) return whole;
  if (record.lifecycle == Lifecycle::kPending) {
    const uint64_t percent = static_cast<uint64_t>(block()->min_weight_percent);
    return Weight::fixed(std::max<uint64_t>(whole.raw() * percent / 100, 1));
  }
  if (record.lifecycle != Lifecycle::kRamping) return whole;
  if (now - record.start >= block()->window) return whole;
  // S3.23; a transition may be dated later than now if the clock moved back (S2.5).
  const Duration interval = block()->interval;
  const TimePoint bucket(now.time_since_epoch() / interval * interval);
  const TimePoint at = std::min(now, std::max(bucket, record.last_transition));
  return ramped_weight(record.target(), *block(), at - record.start);
}

ScopeAnswer LifecycleModel::step(TimePoint now) {
  look_again(now);
  ScopeAnswer answer;
  std::swap(answer.events, events_);
  answer.listed = seen_;
  if (!seen_) return answer;
  answer.panic = panic_;
  for (const auto& [identity, record] : records_) {
    if (!record.listed) continue;
    NodeAnswer& node = answer.nodes[identity];
    node.lifecycle = record.lifecycle;
    if (record.lifecycle == Lifecycle::kRamping) node.ramp_start = record.start;
    if (!panic_uses(record)) node.unusable_since = record.mark;  // S3.18: it goes along with time
    node.condition = record.condition;
    node.eligible = is_eligible(record, false, true);
    node.ramped = ramped(record, now);
    const bool used = node.eligible || panic_uses(record);
    if (used && record.condition.admin != Admin::kDrain) node.effective = node.ramped;
  }
  return answer;
}

}  // namespace rampart::engine
