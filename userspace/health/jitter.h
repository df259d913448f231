// SPDX-License-Identifier: Apache-2.0
// How checks are spread over time (H8): every target has a phase of its own, by its hash, and is due
// whenever the clock passes it. So a thousand targets with one interval are due at a thousand
// times, a reload or a restart does not gather them, and a check that ran late does not shift those
// after it.
#ifndef RAMPART_USERSPACE_HEALTH_JITTER_H_
#define RAMPART_USERSPACE_HEALTH_JITTER_H_

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/time.h"

namespace rampart::health {

// A target that is not checked yet does not wait for a long interval: nothing is known of it, and a
// newcomer is out of service until its first pass (H2).
inline constexpr Duration kFirstWithin = std::chrono::seconds(1);

// The first time after `after` that has the phase of `hash`. REQUIRES: interval > 0.
inline TimePoint next_in_phase(TimePoint after, Duration interval, uint64_t hash) {
  const Duration phase(static_cast<int64_t>(hash % static_cast<uint64_t>(interval.count())));
  Duration since = (after.time_since_epoch() - phase) % interval;
  if (since < Duration(0)) since += interval;
  return after - since + interval;
}

// Also after a check that could not be made.
inline TimePoint first_due(TimePoint now, Duration interval, uint64_t hash) {
  return next_in_phase(now, std::min(interval, kFirstWithin), hash);
}

// After the check that was due at `due`. What was missed while it ran or waited is one check, at once,
// not several.
inline TimePoint next_due(TimePoint due, TimePoint now, Duration interval, uint64_t hash) {
  const TimePoint last_passed = next_in_phase(now, interval, hash) - interval;
  return std::max(next_in_phase(due, interval, hash), last_passed);
}

}  // namespace rampart::health

#endif  // RAMPART_USERSPACE_HEALTH_JITTER_H_
