// SPDX-License-Identifier: Apache-2.0
// A second engine for one scope, written from SPEC S3 alone: slow, and obvious where it can be. One
// plain record a node, the rows of the table one below the other, and everything is looked at again
// at each call. What the laws compare it with is engine/engine.h.
//
// It shares with the engine the values that go in (scope.h, condition.h), the predicate of panic
// and the curve, which has laws of its own; nothing that decides a state.
#ifndef RAMPART_TESTS_PROPERTY_LIFECYCLE_MODEL_H_
#define RAMPART_TESTS_PROPERTY_LIFECYCLE_MODEL_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "base/weight.h"
#include "engine/condition.h"
#include "engine/event.h"
#include "engine/scope.h"
#include "engine/snapshot.h"

namespace rampart::engine {

// What the two must agree on.
struct NodeAnswer {
  Lifecycle lifecycle = Lifecycle::kNone;
  std::optional<TimePoint> ramp_start;
  std::optional<TimePoint> unusable_since;
  Condition condition;
  bool eligible = false;
  Weight ramped;
  Weight effective;

  bool operator==(const NodeAnswer&) const = default;
};

struct ScopeAnswer {
  bool listed = false;
  bool panic = false;
  std::map<Identity, NodeAnswer> nodes;
  std::vector<std::pair<Identity, Event::Kind>> events;  // since the last answer, in order

  bool operator==(const ScopeAnswer&) const = default;
};

class LifecycleModel {
 public:
  explicit LifecycleModel(TimePoint process_start) : process_start_(process_start) {}

  // As the functions of Engine by these names; no scope: it is not in the desired set.
  void set_desired(const std::optional<Scope>& scope, TimePoint now);
  void remember(const std::set<Identity>& identities);
  void set_health(const Identity& identity, Health health, TimePoint now);
  void set_admin(const Identity& identity, Admin admin, TimePoint now);
  void set_override(const Identity& identity, std::optional<uint32_t> weight, TimePoint now);
  bool start_ramp(const Identity& identity, TimePoint now);
  ScopeAnswer step(TimePoint now);

  // The model of a process that starts at `start` from the state that this one had at `saved`, on a
  // clock that reads `shift` more (another boot; zero within one).
  LifecycleModel restarted(TimePoint saved, TimePoint start, Duration shift) const;

 private:
  struct Record {
    bool listed = false;
    uint32_t weight = 0;
    bool discovered = false;
    Condition condition;

    Lifecycle lifecycle = Lifecycle::kNone;
    TimePoint start;  // while ramping
    std::optional<TimePoint> mark;
    std::optional<TimePoint> tombstone;
    TimePoint last_transition;

    uint32_t target() const { return condition.override_weight.value_or(weight); }
  };
  using Records = std::map<Identity, Record>;

  const SlowStart* block() const;  // null: none, or a bad one (S1.6)
  bool is_eligible(const Record& record, bool baseline, bool known) const;
  bool panic_uses(const Record& record) const;
  bool is_in_grace(TimePoint now) const;
  Weight ramped(const Record& record, TimePoint now) const;

  void pass_time(TimePoint now);
  void end_tombstones(TimePoint now);
  void take_presence(const std::vector<Node>& nodes, TimePoint now);
  void drop_block();
  void look_at_set(const Scope& scope, TimePoint now);
  void look_at_all(TimePoint now, bool baseline, const std::set<Identity>& known);
  void look_again(TimePoint now);
  std::optional<Event::Kind> walk_rows(Record& record, bool baseline, bool known, TimePoint now);
  std::optional<Event::Kind> walk_eligible(Record& record, bool fresh, TimePoint now);
  void walk_ineligible(Record& record, bool fresh, TimePoint now);
  static void forget_verdict(Record& record);

  TimePoint process_start_;
  std::optional<Scope> scope_;  // as last desired; its nodes are in records_
  bool seen_ = false;           // in a synced set of this process
  bool has_snapshot_ = false;   // of this process or an earlier one
  bool had_block_ = false;
  std::optional<TimePoint> filled_at_;  // S3.12
  Records records_;
  bool panic_ = false;
  std::optional<TimePoint> panic_before_;  // panic was in force when the former process ended
  TimePoint last_call_;
  std::vector<std::pair<Identity, Event::Kind>> events_;
};

}  // namespace rampart::engine

#endif  // RAMPART_TESTS_PROPERTY_LIFECYCLE_MODEL_H_
