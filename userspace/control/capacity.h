// SPDX-License-Identifier: Apache-2.0
// Whether a configuration fits into the maps, checked before anything is applied (O8).
#ifndef RAMPART_USERSPACE_CONTROL_CAPACITY_H_
#define RAMPART_USERSPACE_CONTROL_CAPACITY_H_

#include "base/result.h"
#include "control/config.h"
#include "control/observed.h"

namespace rampart::control {

// max_backends counts pairs of VIP and node, those that will drain because of `config` included
// (B1). The error names the option to raise.
Result<void> check_capacity(const Config& config, const Observed& observed);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CAPACITY_H_
