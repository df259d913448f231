// SPDX-License-Identifier: Apache-2.0
// The lifecycle of one node in one scope: the table of S3 as one function of values.
//
// A ramp should start when a node meets traffic for the first time, and at no other time: not
// because a process restarted, a weight was edited, an answer came twice or a check failed once. So
// two questions are kept apart. *Presence* (is it listed?) decides what is new, and leaves a
// tombstone behind. *Eligibility* (may it be chosen?) decides when a ramp starts, and leaves a mark
// while it is missing. Both are looked at only when something happens; nothing here runs on a
// timer, and the clock of a ramp is never stopped: what was away comes back to where it would have
// been.
#ifndef RAMPART_USERSPACE_ENGINE_LIFECYCLE_H_
#define RAMPART_USERSPACE_ENGINE_LIFECYCLE_H_

#include <optional>

#include "base/time.h"
#include "engine/event.h"
#include "engine/scope.h"
#include "engine/snapshot.h"

namespace rampart::engine {

struct NodeHistory {
  Lifecycle lifecycle = Lifecycle::kNone;
  Cause cause = Cause::kNoSlowStart;
  TimePoint ramp_start{};                     // while ramping
  std::optional<TimePoint> unusable_since{};  // the mark; only when ramping or mature
  std::optional<TimePoint> absent_since{};    // the tombstone
  TimePoint last_transition{};                // S3.23

  bool operator==(const NodeHistory&) const = default;
};

struct Sighting {
  bool present = false;
  bool eligible = false;
  bool baseline = false;  // of the scope, S3
  bool known = false;     // the identity was in the scope's previous snapshot
};

struct Transition {
  NodeHistory next;
  std::optional<Event::Kind> event;
};

// The first row of S3.1–S3.11 that fits. A second call with the same sighting and time changes
// nothing and reports nothing. A node that is absent and whose tombstone has ended, or that had no
// state, comes back with none and can be forgotten. Without a block there is no start, mark or
// tombstone, only *pending* (S0). REQUIRES: the block is valid.
Transition transition(const NodeHistory& history, const Sighting& sighting,
                      const std::optional<SlowStart>& block, TimePoint now);

// S3.25: an operator asks for a ramp of a listed node. Pending stays: it ramps from its first pass
// anyway. REQUIRES: `history` has a state and no tombstone.
Transition ramp_on_request(const NodeHistory& history, bool eligible, TimePoint now);

// Why the engine reports `event` about a node that came to `next`.
const char* reason_of(Event::Kind event, const NodeHistory& next);

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_LIFECYCLE_H_
