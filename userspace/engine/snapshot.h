// SPDX-License-Identifier: Apache-2.0
// What the engine answers: for every scope and node, the weight that selection uses and why.
// Immutable once made, shared by both planes.
#ifndef RAMPART_USERSPACE_ENGINE_SNAPSHOT_H_
#define RAMPART_USERSPACE_ENGINE_SNAPSHOT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "base/weight.h"

namespace rampart::engine {

// SPEC S3. Administrative and operational state are other axes and other types.
enum class Lifecycle { kNone, kPending, kRamping, kMature };
const char* name_of(Lifecycle lifecycle);

struct NodeState {
  uint32_t configured = 0;  // target weight
  int priority = 0;
  Lifecycle lifecycle = Lifecycle::kNone;
  bool eligible = true;
  Weight effective;                     // what W, L and P use
  uint32_t shown = 0;                   // its integer floor, at least 1 if effective > 0 (S2.1)
  std::optional<TimePoint> ramp_start;  // while ramping
  Duration ramp_left{0};                // while ramping
  std::string reason;                   // one sentence: why this weight

  bool operator==(const NodeState&) const = default;
};

struct ScopeState {
  std::map<Identity, NodeState> nodes;  // ordered: the order decides ties (W5)

  bool operator==(const ScopeState&) const = default;
};

struct Snapshot {
  uint64_t generation = 0;  // grows with every change of any effective weight or state
  std::map<ScopeId, ScopeState> scopes;
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_SNAPSHOT_H_
