// SPDX-License-Identifier: Apache-2.0
// What the engine is told: scopes, their nodes, and how their newcomers warm up.
#ifndef RAMPART_USERSPACE_ENGINE_SCOPE_H_
#define RAMPART_USERSPACE_ENGINE_SCOPE_H_

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "engine/panic.h"

namespace rampart::engine {

enum class OnRecovery { kResume, kRamp };

// The block of S1 (docs/behaviour.md, like every rule that comments name).
struct SlowStart {
  std::chrono::seconds window{0};         // slow_start_time_seconds, 1…604800
  int min_weight_percent = 0;             // the floor, 1…100
  std::chrono::seconds interval{1};       // between weight refreshes, 1…window
  double aggression = 1;                  // 0.01…100; the curve's exponent is 1/aggression
  std::chrono::seconds startup_grace{0};  // startup_grace_period_seconds
  OnRecovery on_recovery = OnRecovery::kResume;

  bool operator==(const SlowStart&) const = default;
};

// Whether a block is one that S1 allows. The engine treats a bad block as absent (S1.6): it never
// takes an upstream out of service. Front ends report errors; this is the last line of defence.
bool is_valid(const SlowStart& block);

// One node that configuration or discovery lists: present, in the words of S3.
struct Node {
  Identity identity;
  uint32_t weight = 1;  // configured or discovered, 0…65535
  int priority = 0;     // higher is preferred (P7)
  // Where it answers (S4.5), for those who pick: the engine only hands them on. Empty: its identity
  // is its one address.
  std::vector<std::string> addresses{};
  bool discovered = false;  // what operators say of it ends with its tombstone (B6)

  bool operator==(const Node&) const = default;
};

struct Scope {
  ScopeId id;
  std::vector<Node> nodes;  // in any order (W9); identities are unique
  std::optional<SlowStart> slow_start;
  // Whether the nodes are known. A source that has not synced yet is neither empty nor a snapshot
  // (S3.26): the scope keeps the nodes that it had.
  bool synced = true;
  // Hash of the definition of its active check; nothing: its nodes are not checked. A newcomer to a
  // checked scope waits for its first pass (H2); another definition starts afresh (H3).
  std::optional<uint64_t> check{};
  PanicPolicy panic{};

  bool operator==(const Scope&) const = default;
};

using Desired = std::vector<Scope>;  // ids are unique; in any order

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_SCOPE_H_
