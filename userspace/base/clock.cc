// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <ctime>

#include "base/check.h"

namespace rampart {

TimePoint boot_now() {
  timespec now = {};
  RP_CHECK(clock_gettime(CLOCK_BOOTTIME, &now) == 0);
  return TimePoint(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

std::chrono::system_clock::time_point wall_time_of(TimePoint at) {
  const auto ago = boot_now() - at;
  return std::chrono::system_clock::now() -
         std::chrono::duration_cast<std::chrono::system_clock::duration>(ago);
}

}  // namespace rampart
