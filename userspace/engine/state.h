// SPDX-License-Identifier: Apache-2.0
// What an engine remembers, as values that outlive its process (S3.21): for each scope its
// snapshot in the sense of S3, the state, mark and tombstone of each node, and what checks and
// operators said. control/state_file.h keeps it on disk and brings its times to this boot's clock.
#ifndef RAMPART_USERSPACE_ENGINE_STATE_H_
#define RAMPART_USERSPACE_ENGINE_STATE_H_

#include <map>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "engine/condition.h"
#include "engine/lifecycle.h"

namespace rampart::engine {

struct NodeRecord {
  bool listed = false;      // part of the scope's snapshot
  bool discovered = false;  // by a source, not by configuration (B6)
  NodeHistory history;
  Condition condition;

  bool operator==(const NodeRecord&) const = default;
};

struct ScopeRecord {
  ScopeId id;
  bool had_block = false;                 // S3.14 asks whether a block is new
  std::optional<TimePoint> filled_at{};   // S3.12: first non-empty set after empty
  std::optional<TimePoint> panic_seen{};  // S3.18: panic was in force, at this time the last
  std::map<Identity, NodeRecord> nodes;

  bool operator==(const ScopeRecord&) const = default;
};

using EngineState = std::vector<ScopeRecord>;  // ascending by id

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_STATE_H_
