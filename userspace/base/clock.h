// SPDX-License-Identifier: Apache-2.0
// The one place that reads clocks.
#ifndef RAMPART_USERSPACE_BASE_CLOCK_H_
#define RAMPART_USERSPACE_BASE_CLOCK_H_

#include <chrono>

#include "base/time.h"

namespace rampart {

TimePoint boot_now();

// The wall-clock time at which the boot clock showed `at`, for people: it is never used to decide.
std::chrono::system_clock::time_point wall_time_of(TimePoint at);

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_CLOCK_H_
