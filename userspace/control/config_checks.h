// SPDX-License-Identifier: Apache-2.0
// The block `checks` of an upstream (H1).
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_CHECKS_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_CHECKS_H_

#include <optional>

#include "control/active_check.h"
#include "control/config_reader.h"
#include "control/passive_check.h"

namespace rampart::control {

struct ReadChecks {
  std::optional<ActiveCheck> active;
  std::optional<PassiveCheck> passive;
};

// The block `checks` of an upstream; nothing without it.
ReadChecks read_checks(const Field& field);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_CHECKS_H_
