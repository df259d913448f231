// SPDX-License-Identifier: Apache-2.0
// What the engine remembers about one scope: which nodes it lists, what became of each, and which
// identities it listed before (its snapshot in the sense of S3, which decides what is new).
//
// Invariants:
//  1. Every listed node has a history, and the engine asks transition() for every change of one.
//  2. With a block, a node that is not listed has a history exactly while its tombstone stands.
//  3. Before anything changes, the histories are settled at `now` with the block in force until
//  then, so
//     that what happens never depends on how often step() was called.
#ifndef RAMPART_USERSPACE_ENGINE_SCOPE_HISTORY_H_
#define RAMPART_USERSPACE_ENGINE_SCOPE_HISTORY_H_

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "engine/event.h"
#include "engine/lifecycle.h"
#include "engine/scope.h"
#include "engine/snapshot.h"

namespace rampart::engine {

class ScopeHistory {
 public:
  ScopeHistory(ScopeId id, TimePoint process_start);

  // The functions that take a time return the events of that moment, ordered by identity.

  // REQUIRES: scope.id is this scope's.
  std::vector<Event> set_desired(const Scope& scope, TimePoint now);
  std::vector<Event> set_eligible(const Identity& identity, bool eligible, TimePoint now);
  // Lets time pass: ramps whose window has passed finish, tombstones end.
  std::vector<Event> settle(TimePoint now);

  // REQUIRES: !is_listed().
  void remember(const std::set<Identity>& identities);

  // Whether set_desired() was ever called.
  bool is_listed() const { return is_listed_; }
  // REQUIRES: settled at `now`.
  ScopeState state(TimePoint now) const;
  std::optional<TimePoint> next_deadline(TimePoint now) const;

 private:
  void adopt_block(const std::optional<SlowStart>& block);
  bool is_baseline(bool block_added, TimePoint now) const;
  bool is_within_grace(TimePoint since, TimePoint now) const;
  bool is_eligible(const Identity& identity) const { return !ineligible_.contains(identity); }
  // Looks at every node that is listed or has a history.
  std::vector<Event> reconcile(bool baseline, TimePoint now);
  std::optional<Event> look_at(const Identity& identity, bool baseline, TimePoint now);

  const ScopeId id_;
  const TimePoint process_start_;

  // What was said from outside.
  bool is_listed_ = false;
  bool block_refused_ = false;      // S1.6: there is one, but a bad one
  std::optional<SlowStart> block_;  // valid
  std::map<Identity, Node> nodes_;  // present
  std::set<Identity> ineligible_;   // present or not

  // What was made of it.
  std::map<Identity, NodeHistory> histories_;
  std::optional<std::set<Identity>> listed_before_;  // nothing: the scope has no snapshot
  std::optional<TimePoint> filled_at_;               // first non-empty set after empty (S3.12)
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_SCOPE_HISTORY_H_
