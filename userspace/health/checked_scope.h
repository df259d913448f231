// SPDX-License-Identifier: Apache-2.0
// What is to be checked, as the checker is told.
#ifndef RAMPART_USERSPACE_HEALTH_CHECKED_SCOPE_H_
#define RAMPART_USERSPACE_HEALTH_CHECKED_SCOPE_H_

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/ip.h"
#include "control/active_check.h"
#include "control/config.h"
#include "control/planes.h"
#include "engine/condition.h"
#include "engine/snapshot.h"

namespace rampart::health {

struct Target {
  Identity identity;
  std::vector<IpAddress> addresses;  // at least one
  uint16_t port = 0;
  engine::Health verdict = engine::Health::kUnknown;  // to start from (H2)
};

struct CheckedScope {
  ScopeId id;
  control::ActiveCheck check;
  uint64_t check_hash = 0;      // hash_of(check)
  std::vector<Target> targets;  // identities are unique
};

// The scopes of the plane that have checks, with the verdicts that `snapshot` has by the same
// definition: restored ones at first. What only the other plane uses is not among them.
// REQUIRES: the parser accepted `config`.
std::vector<CheckedScope> checked_scopes(const control::Config& config, control::Plane plane,
                                         const engine::Snapshot& snapshot);

}  // namespace rampart::health

#endif  // RAMPART_USERSPACE_HEALTH_CHECKED_SCOPE_H_
