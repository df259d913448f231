// SPDX-License-Identifier: Apache-2.0
// Time as values: whole nanoseconds of CLOCK_BOOTTIME (S2.5), which counts through suspend and is
// the clock that the packet programs read too. Nothing here reads a clock; clock.h does.
#ifndef RAMPART_USERSPACE_BASE_TIME_H_
#define RAMPART_USERSPACE_BASE_TIME_H_

#include <chrono>
#include <cstdint>

namespace rampart {

using Duration = std::chrono::nanoseconds;

// A clock that is never asked for its now(): it only makes points distinct from other clocks'
// points.
struct BootClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<BootClock, Duration>;
  static constexpr bool is_steady = true;
};
using TimePoint = BootClock::time_point;

constexpr int64_t whole_seconds(TimePoint at) {
  return std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
}

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_TIME_H_
