// SPDX-License-Identifier: Apache-2.0
// How reports become a verdict (H4): a pure value.
//
// Reports of one kind are counted until there are as many as the definition says; then the verdict
// changes and counting starts again. An opposite report sets a count back to 0, so it takes that
// many "in a row"; failures of different kinds are counted apart and do not disturb each other. A
// kind whose count is 0 is turned off: its reports are as if they had not been made.
#ifndef RAMPART_USERSPACE_HEALTH_VERDICT_H_
#define RAMPART_USERSPACE_HEALTH_VERDICT_H_

#include <array>
#include <cstdint>

#include "control/active_check.h"
#include "engine/condition.h"

namespace rampart::health {

// What a finished check says of its target.
enum class Report { kSuccess, kTcpFailure, kHttpFailure, kTimeout };
inline constexpr size_t kReports = 4;

class Verdict {
 public:
  // `start`: what is known already (H2). The first success ends unknown, and so do as many failures
  // as it takes to fall.
  explicit Verdict(engine::Health start = engine::Health::kUnknown) : health_(start) {}

  // Counts one report; returns whether the verdict is another one now.
  bool count(Report report, const control::ActiveCheck& check);

  engine::Health health() const { return health_; }

 private:
  engine::Health health_;
  std::array<uint32_t, kReports> in_a_row_ = {};  // by Report; 0 for what would change nothing
};

}  // namespace rampart::health

#endif  // RAMPART_USERSPACE_HEALTH_VERDICT_H_
