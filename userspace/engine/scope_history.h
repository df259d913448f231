// SPDX-License-Identifier: Apache-2.0
// What the engine remembers about one scope: which nodes it lists, what checks and operators said of
// them, what became of each, and which identities it listed before (its snapshot in the sense of S3,
// which decides what is new).
//
// Invariants:
//  1. Every listed node has a history, and the engine asks transition() for every change of one.
//  2. With a block, a node that is not listed has a history exactly while its tombstone stands.
//  3. Before anything changes, the histories are settled at `now` with what was in force until then,
//     so that what happens never depends on how often step() was called.
//  4. While panic is in force, marks of nodes that it uses move along with time: they do not age
//     (S3.18).
#ifndef RAMPART_USERSPACE_ENGINE_SCOPE_HISTORY_H_
#define RAMPART_USERSPACE_ENGINE_SCOPE_HISTORY_H_

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "engine/condition.h"
#include "engine/event.h"
#include "engine/lifecycle.h"
#include "engine/scope.h"
#include "engine/snapshot.h"
#include "engine/state.h"

namespace rampart::engine {

class ScopeHistory {
 public:
  ScopeHistory(ScopeId id, TimePoint process_start);

  // The functions that take a time return the events of that moment, ordered by identity.

  // REQUIRES: scope.id is this scope's.
  std::vector<Event> set_desired(const Scope& scope, TimePoint now);
  std::vector<Event> set_health(const std::map<Identity, Health>& verdicts, TimePoint now);
  std::vector<Event> set_admin(const Identity& identity, Admin admin, TimePoint now,
                               const std::string& by);
  std::vector<Event> set_override(const Identity& identity, std::optional<uint32_t> weight,
                                  TimePoint now, const std::string& by);
  // Whether start_ramp() has a node to start and a curve to start it on.
  bool can_ramp(const Identity& identity) const;
  // REQUIRES: can_ramp().
  std::vector<Event> start_ramp(const Identity& identity, TimePoint now);
  // Lets time pass: ramps whose window has passed finish, tombstones end.
  std::vector<Event> settle(TimePoint now);

  // REQUIRES: !is_listed().
  void remember(const std::set<Identity>& identities);
  void restore(const ScopeRecord& record, TimePoint now);

  // Whether set_desired() was ever called with a set.
  bool is_listed() const { return is_listed_; }
  // Whether it was ever listed, in this process or in one whose state was restored.
  bool has_snapshot() const { return listed_before_.has_value(); }
  // REQUIRES, both: settled at `now`.
  ScopeState state(TimePoint now) const;
  ScopeRecord record() const;
  std::optional<TimePoint> next_deadline(TimePoint now) const;

 private:
  void adopt_block(const std::optional<SlowStart>& block);
  void adopt_check(const std::optional<uint64_t>& check);
  void adopt_nodes(const std::vector<Node>& nodes);
  bool is_baseline(bool block_added, TimePoint now) const;
  bool is_within_grace(TimePoint since, TimePoint now) const;

  Condition condition(const Identity& identity) const;
  bool is_known(const Identity& identity) const;
  // Whether it may be chosen now, with what is known of it before anything is decided.
  bool is_eligible(const Identity& identity, bool baseline) const;
  // Looks at those with a tombstone. After a restart the nodes of the last set are not among them:
  // only the next set tells whether they are there.
  void end_tombstones(TimePoint now);
  // S3.18: the time since the last look was no outage for those that panic used.
  void keep_marks_young(TimePoint now);
  void look_for_panic(TimePoint now);
  bool is_candidate(const Identity& identity) const;

  // Says something of nodes and looks at them.
  template <typename Say>
  std::vector<Event> change(const std::vector<Identity>& identities, TimePoint now, Say say);
  // Looks at every node that is listed, was listed or has a history.
  std::vector<Event> reconcile(bool baseline, TimePoint now);
  std::optional<Event> look_at(const Identity& identity, bool baseline, TimePoint now);
  void forget(const Identity& identity);
  Event event_of(Event::Kind kind, const Identity& identity) const;

  const ScopeId id_;
  const TimePoint process_start_;

  // What was said from outside.
  bool is_desired_ = false;         // set_desired() was called
  bool is_listed_ = false;          // with a set
  bool block_refused_ = false;      // S1.6: there is one, but a bad one
  std::optional<SlowStart> block_;  // valid
  std::optional<uint64_t> check_;
  PanicPolicy panic_policy_;
  std::map<Identity, Node> nodes_;            // present
  std::map<Identity, Condition> conditions_;  // of those of whom anything was said, present or not

  // What was made of it.
  std::map<Identity, NodeHistory> histories_;
  std::set<Identity> discovered_;                    // among those with a history
  std::optional<std::set<Identity>> listed_before_;  // nothing: the scope has no snapshot
  std::optional<TimePoint> filled_at_;               // first non-empty set after empty (S3.12)
  bool had_block_ = false;                           // when it was last listed (S3.14)
  std::optional<TimePoint> panic_seen_;              // when panic was last seen in force
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_SCOPE_HISTORY_H_
