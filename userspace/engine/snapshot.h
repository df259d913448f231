// SPDX-License-Identifier: Apache-2.0
// What the engine answers: for every scope and node, the weight that selection uses and why.
// Immutable once made, shared by both planes.
#ifndef RAMPART_USERSPACE_ENGINE_SNAPSHOT_H_
#define RAMPART_USERSPACE_ENGINE_SNAPSHOT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "base/weight.h"
#include "engine/condition.h"

namespace rampart::engine {

// S3. Administrative and operational state are other axes and other types (condition.h).
enum class Lifecycle { kNone, kPending, kRamping, kMature };
const char* name_of(Lifecycle lifecycle);

// Why a node is in its state; the row that put it there.
enum class Cause {
  kNoSlowStart,      // S0
  kBaseline,         // S3.1, S3.9
  kKnown,            // S3.2, S3.9
  kJoined,           // S3.3
  kFirstEligible,    // S3.4
  kUnusableTooLong,  // S3.5
  kRecovered,        // S3.5 with on_recovery: ramp
  kFinished,         // S3.6
  kNeverEligible,    // S3.10
  kOperator,         // S3.25
};
const char* name_of(Cause cause);
// The end of a sentence that begins with the state's name: "ramping: it joined a running scope".
const char* sentence(Cause cause);

struct NodeState {
  uint32_t configured = 0;
  int priority = 0;
  std::vector<std::string> addresses;  // as listed (S4.5)
  Condition condition;

  Lifecycle lifecycle = Lifecycle::kNone;
  Cause cause = Cause::kNoSlowStart;
  TimePoint since;                          // when its lifecycle, mark or tombstone last changed
  std::optional<TimePoint> unusable_since;  // the mark
  std::optional<TimePoint> ramp_start;      // while ramping
  Duration ramp_elapsed{0}, ramp_left{0};   // while ramping; together the window

  bool eligible = true;
  Weight ramped;       // target weight x ratio, whatever else holds (P8)
  Weight effective;    // what W, L and P use
  uint32_t shown = 0;  // its integer floor, at least 1 if effective > 0 (S2.1)

  // The target weight of S2: the operator's, else the configured one.
  uint32_t target() const { return condition.override_weight.value_or(configured); }

  bool operator==(const NodeState&) const = default;
};

// The summary of a node's three axes in one word: the first that holds of maintenance, draining,
// down, pending, ramping, mature.
const char* summary_of(const NodeState& node);

struct ScopeState {
  std::map<Identity, NodeState> nodes;  // ordered: the order decides ties (W5)
  bool panic = false;                   // H6: weights ignore health
  bool block_refused = false;           // S1.6: it has a slow start block, but a bad one

  bool operator==(const ScopeState&) const = default;
};

// The highest priority that has a node with an effective weight: what an L4 table is built from (W4).
// Nothing if there is none.
std::optional<int> tier_in_use(const ScopeState& scope);

struct Snapshot {
  uint64_t generation = 0;  // grows with every change of any effective weight or state
  std::map<ScopeId, ScopeState> scopes;
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_SNAPSHOT_H_
