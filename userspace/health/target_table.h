// SPDX-License-Identifier: Apache-2.0
// All targets with their verdicts and deadlines: what the checker knows, without its sockets and
// clock.
//
// What is known of a target belongs to (scope, identity, hash of the definition) and outlives every
// reload that keeps these three: counts, verdict and deadline (H3). Where it answers is not part of
// it: a node that moved to another address is the same node, checked there from then on.
//
// A target with several addresses (S4.5) has one verdict. They are checked in turn, the next one after
// a pass; one that fails is checked again until it passes. So such a target falls with any of its
// addresses, and rises when all that had their turn answer: flows go to all of them.
#ifndef RAMPART_USERSPACE_HEALTH_TARGET_TABLE_H_
#define RAMPART_USERSPACE_HEALTH_TARGET_TABLE_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "health/checked_scope.h"
#include "health/probe.h"
#include "health/schedule.h"
#include "health/verdict.h"

namespace rampart::health {

struct VerdictChange {
  ScopeId scope;
  Identity identity;
  engine::Health health;
  std::string reason;  // that of the last check: "http status 503"
};

class TargetTable {
 public:
  // `most_under_way`: checks at once, of all scopes.
  explicit TargetTable(size_t most_under_way) : schedule_(most_under_way) {}

  // The whole new set of scopes. A target that is not listed is forgotten; a new one starts from the
  // verdict it comes with, one whose scope has another definition from unknown. Returns the targets
  // whose check is under way and no longer wanted. REQUIRES: scope ids are unique.
  std::vector<TargetNumber> set_scopes(const std::vector<CheckedScope>& scopes, TimePoint now);

  struct Start {
    TargetNumber number;  // never given to two targets
    ProbeTarget target;
    TimePoint due;
  };
  // Every check that is to begin now. Each is finished, once, unless set_scopes() returns it.
  std::vector<Start> start(TimePoint now);
  // Returns the verdict if it is another one now.
  std::optional<VerdictChange> finish(TargetNumber number, const ProbeEnd& end, TimePoint now);

  // Something else than its checks found that a target is down: from here on it rises by its checks, as
  // after a fall (H1). No effect if there is no such target.
  void take_down(const ScopeId& scope, const Identity& identity);

  // When start() has more to return, apart from what waits for something to finish.
  std::optional<TimePoint> next_deadline() const { return schedule_.next_deadline(); }
  size_t size() const { return targets_.size(); }
  size_t under_way() const { return schedule_.under_way(); }
  size_t waiting() const { return schedule_.waiting(); }

 private:
  struct Scope {
    GroupNumber group;
    std::shared_ptr<const control::ActiveCheck> check;
    uint64_t check_hash;
    std::map<Identity, TargetNumber> targets;
  };
  struct Known {
    ScopeId scope;
    Identity identity;
    GroupNumber group;
    std::shared_ptr<const control::ActiveCheck> check;
    std::vector<IpAddress> addresses;
    size_t turn;  // index of the address that is checked next
    uint16_t port;
    uint64_t hash;
    Verdict verdict;
    TimePoint due;  // of the check that is under way

    Duration interval() const;
  };

  Scope fresh_scope(const CheckedScope& listed);
  // Makes the targets of `scope` those that are listed. Whatever it lacks starts from the verdict that
  // it comes with, or from unknown where the scope starts afresh.
  enum class Origin { kAsTold, kAfresh };
  void follow(Scope& scope, const CheckedScope& listed, Origin origin, TimePoint now);
  TargetNumber add(const ScopeId& id, const Scope& scope, const Target& target, Verdict verdict,
                   TimePoint now);
  void move(TargetNumber number, const Target& target, TimePoint now);
  void remove(TargetNumber number);
  void remove(const Scope& scope);

  Schedule schedule_;
  std::map<ScopeId, Scope> scopes_;
  std::unordered_map<TargetNumber, Known> targets_;
  std::vector<TargetNumber> given_up_;  // by the set_scopes() that runs
  uint64_t numbers_ = 0;                // given to targets and groups
};

}  // namespace rampart::health

#endif  // RAMPART_USERSPACE_HEALTH_TARGET_TABLE_H_
