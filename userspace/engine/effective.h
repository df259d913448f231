// SPDX-License-Identifier: Apache-2.0
// From a node's history to the weight that selection uses (S2), as of a time.
//
// Weights are refreshed by buckets of the clock (S3.23), so that a thousand ramping nodes change
// once an interval and not a thousand times. A node that changes inside a bucket is evaluated at
// once, the others stay where they are: every answer is a function of the time, never of who asked
// before.
#ifndef RAMPART_USERSPACE_ENGINE_EFFECTIVE_H_
#define RAMPART_USERSPACE_ENGINE_EFFECTIVE_H_

#include <optional>

#include "base/time.h"
#include "engine/lifecycle.h"
#include "engine/scope.h"
#include "engine/snapshot.h"

namespace rampart::engine {

// What else decides, beside a node's history.
struct Standing {
  Condition condition;
  bool eligible = true;
  bool panic = false;  // H6 is in force in its scope
};

// REQUIRES: `history` is settled at `now` (an eligible node whose window has passed is mature); a
// node ramps only with a block; the block is valid.
NodeState node_state(const Node& node, const NodeHistory& history, const Standing& standing,
                     const std::optional<SlowStart>& block, TimePoint now);

// When the state of a ramping node next changes by the passing of time: the next bucket's start or
// its ramp's end. Nothing once its window has passed, and for a node that does not ramp.
std::optional<TimePoint> next_refresh(const NodeHistory& history, const SlowStart& block,
                                      TimePoint now);

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_EFFECTIVE_H_
