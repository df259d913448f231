// SPDX-License-Identifier: Apache-2.0
// The block `checks` of an upstream (H1).
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_CHECKS_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_CHECKS_H_

#include "control/config_reader.h"

namespace rampart::control {

// Checks its shape, and refuses it: this version has no health checks.
void check_checks(const Field& field);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_CHECKS_H_
