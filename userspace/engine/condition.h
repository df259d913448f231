// SPDX-License-Identifier: Apache-2.0
// What checks and operators say of one node in one scope. Presence is not here: that is what
// configuration and discovery list (scope.h).
#ifndef RAMPART_USERSPACE_ENGINE_CONDITION_H_
#define RAMPART_USERSPACE_ENGINE_CONDITION_H_

#include <cstdint>
#include <optional>
#include <string>

namespace rampart::engine {

// Operational state: the verdict of the checks.
enum class Health { kUnknown, kUp, kDown };
const char* name_of(Health health);

// Administrative state, one at a time (F5). Drain takes no new flow and leaves the lifecycle alone;
// maintenance is ineligibility.
enum class Admin { kNone, kDrain, kMaintenance };
const char* name_of(Admin admin);

// Four inputs make a weight (W1), and none overwrites another: these are three of them, the fourth
// is the node's history.
struct Condition {
  Health health = Health::kUnknown;
  std::optional<uint64_t> checked_by;  // definition that gave the verdict (H3); nothing without one
  Admin admin = Admin::kNone;
  std::optional<uint32_t> override_weight;  // takes the place of the configured weight
  // Who gave these orders, and when, as text for people; empty where there is none.
  std::string admin_by;
  std::string override_by;

  bool operator==(const Condition&) const = default;
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_CONDITION_H_
