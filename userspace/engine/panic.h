// SPDX-License-Identifier: Apache-2.0
// Panic (H6): when checks say that hardly anything is left, they are more likely wrong than right,
// and traffic to doubtful nodes is better than to none. It concerns health alone: what an operator
// took out stays out.
#ifndef RAMPART_USERSPACE_ENGINE_PANIC_H_
#define RAMPART_USERSPACE_ENGINE_PANIC_H_

#include <cstdint>

#include "engine/condition.h"

namespace rampart::engine {

struct PanicPolicy {
  uint32_t threshold_percent = 0;  // of eligible candidates; below it panic is in force
  bool fail_closed = false;        // never panic: no backend instead (W3)

  bool operator==(const PanicPolicy&) const = default;
};

// Neither in maintenance nor draining, and with a target weight: what panic may use.
inline bool is_candidate(Admin admin, uint32_t target) {
  return admin == Admin::kNone && target > 0;
}

// Counts nodes, of all priorities. With no eligible candidate it is in force whatever the
// threshold; with no candidate at all there is nothing to use, and it is not.
inline bool is_panic(const PanicPolicy& policy, uint64_t candidates, uint64_t eligible) {
  if (policy.fail_closed || candidates == 0) return false;
  return eligible == 0 || eligible * 100 < policy.threshold_percent * candidates;
}

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_PANIC_H_
