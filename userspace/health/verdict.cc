// SPDX-License-Identifier: Apache-2.0
#include "health/verdict.h"

namespace rampart::health {
namespace {

using engine::Health;

uint32_t needed_of(Report report, const control::ActiveCheck& check) {
  switch (report) {
    case Report::kSuccess:
      return check.healthy.successes;
    case Report::kTcpFailure:
      return check.unhealthy.tcp_failures;
    case Report::kHttpFailure:
      return check.unhealthy.http_failures;
    case Report::kTimeout:
      return check.unhealthy.timeouts;
  }
  return 0;
}

}  // namespace

bool Verdict::count(Report report, const control::ActiveCheck& check) {
  const uint32_t needed = needed_of(report, check);
  if (needed == 0) return false;
  const bool success = report == Report::kSuccess;
  uint32_t& successes = in_a_row_[static_cast<size_t>(Report::kSuccess)];
  if (success) {
    in_a_row_ = {successes};
  } else {
    successes = 0;
  }
  const Health towards = success ? Health::kUp : Health::kDown;
  if (health_ == towards) return false;
  const bool first_pass = success && health_ == Health::kUnknown;  // H2
  if (++in_a_row_[static_cast<size_t>(report)] < needed && !first_pass) return false;
  health_ = towards;
  in_a_row_ = {};
  return true;
}

}  // namespace rampart::health
