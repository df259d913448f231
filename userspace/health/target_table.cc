// SPDX-License-Identifier: Apache-2.0
#include "health/target_table.h"

#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "health/jitter.h"

namespace rampart::health {
namespace {

std::optional<Report> report_of(ProbeEnd::Kind kind) {
  switch (kind) {
    case ProbeEnd::Kind::kPassed:
      return Report::kSuccess;
    case ProbeEnd::Kind::kTcpFailed:
      return Report::kTcpFailure;
    case ProbeEnd::Kind::kHttpFailed:
      return Report::kHttpFailure;
    case ProbeEnd::Kind::kTimedOut:
      return Report::kTimeout;
    case ProbeEnd::Kind::kUnjudged:
    case ProbeEnd::Kind::kOwnFault:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Duration TargetTable::Known::interval() const {
  const bool down = verdict.health() == engine::Health::kDown;
  return down ? check->unhealthy.interval : check->healthy.interval;
}

std::vector<TargetNumber> TargetTable::set_scopes(const std::vector<CheckedScope>& scopes,
                                                  TimePoint now) {
  std::map<ScopeId, Scope> former = std::exchange(scopes_, {});
  for (const CheckedScope& listed : scopes) {
    const auto known = former.find(listed.id);
    const bool is_known = known != former.end();
    const bool goes_on = is_known && known->second.check_hash == listed.check_hash;
    Scope scope = goes_on ? std::move(known->second) : fresh_scope(listed);
    if (goes_on) former.erase(known);
    follow(scope, listed, is_known && !goes_on ? Origin::kAfresh : Origin::kAsTold, now);
    const bool unique = scopes_.emplace(listed.id, std::move(scope)).second;
    RP_CHECK(unique);
  }
  for (const auto& [id, scope] : former) remove(scope);
  return std::exchange(given_up_, {});
}

std::vector<TargetTable::Start> TargetTable::start(TimePoint now) {
  std::vector<Start> starts;
  for (const Schedule::Start& start : schedule_.start(now)) {
    Known& known = targets_.at(start.target);
    known.due = start.due;
    starts.push_back({.number = start.target,
                      .target = {.check = known.check,
                                 .address = known.addresses.at(known.turn),
                                 .port = known.port},
                      .due = start.due});
  }
  return starts;
}

std::optional<VerdictChange> TargetTable::finish(TargetNumber number, const ProbeEnd& end,
                                                 TimePoint now) {
  Known& known = targets_.at(number);
  const auto report = report_of(end.kind);
  const bool changed = report && known.verdict.count(*report, *known.check);
  if (report == Report::kSuccess) known.turn = (known.turn + 1) % known.addresses.size();
  const bool was_made = end.kind != ProbeEnd::Kind::kOwnFault;
  schedule_.finish(number, was_made ? next_due(known.due, now, known.interval(), known.hash)
                                    : first_due(now, known.interval(), known.hash));
  if (!changed) return std::nullopt;
  return VerdictChange{known.scope, known.identity, known.verdict.health(), end.reason};
}

TargetTable::Scope TargetTable::fresh_scope(const CheckedScope& listed) {
  const GroupNumber group{++numbers_};
  schedule_.set_group(group, listed.check.concurrency);
  return Scope{.group = group,
               .check = std::make_shared<const control::ActiveCheck>(listed.check),
               .check_hash = listed.check_hash,
               .targets = {}};
}

void TargetTable::follow(Scope& scope, const CheckedScope& listed, Origin origin, TimePoint now) {
  std::map<Identity, TargetNumber> former = std::exchange(scope.targets, {});
  for (const Target& target : listed.targets) {
    RP_CHECK(!target.addresses.empty());
    const auto known = former.find(target.identity);
    if (known != former.end()) {
      move(known->second, target, now);
      scope.targets.insert(former.extract(known));
      continue;
    }
    const Verdict verdict = origin == Origin::kAfresh ? Verdict() : Verdict(target.verdict);
    scope.targets.emplace(target.identity, add(listed.id, scope, target, verdict, now));
  }
  for (const auto& [identity, number] : former) remove(number);
}

TargetNumber TargetTable::add(const ScopeId& id, const Scope& scope, const Target& target,
                              Verdict verdict, TimePoint now) {
  const TargetNumber number{++numbers_};
  const auto [added, fresh] =
      targets_.emplace(number, Known{.scope = id,
                                     .identity = target.identity,
                                     .group = scope.group,
                                     .check = scope.check,
                                     .addresses = target.addresses,
                                     .turn = 0,
                                     .port = target.port,
                                     .hash = hash64(target.identity, hash64(id)),
                                     .verdict = verdict,
                                     .due = now});
  const Known& known = added->second;
  schedule_.add(number, scope.group, first_due(now, known.interval(), known.hash));
  return number;
}

// A check of where it was says nothing of where it is: it is given up, and made again at once.
void TargetTable::move(TargetNumber number, const Target& target, TimePoint now) {
  Known& known = targets_.at(number);
  if (known.addresses == target.addresses && known.port == target.port) return;
  known.addresses = target.addresses;
  known.port = target.port;
  known.turn %= known.addresses.size();
  if (schedule_.remove(number)) given_up_.push_back(number);
  schedule_.add(number, known.group, now);
}

void TargetTable::take_down(const ScopeId& id, const Identity& identity) {
  const auto scope = scopes_.find(id);
  if (scope == scopes_.end()) return;
  const auto target = scope->second.targets.find(identity);
  if (target == scope->second.targets.end()) return;
  targets_.at(target->second).verdict = Verdict(engine::Health::kDown);
}

void TargetTable::remove(TargetNumber number) {
  if (schedule_.remove(number)) given_up_.push_back(number);
  targets_.erase(number);
}

void TargetTable::remove(const Scope& scope) {
  for (const auto& [identity, number] : scope.targets) remove(number);
  schedule_.remove_group(scope.group);
}

}  // namespace rampart::health
