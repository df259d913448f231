// SPDX-License-Identifier: Apache-2.0
// The block `slow_start` of an upstream (S1).
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_SLOW_START_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_SLOW_START_H_

#include <optional>

#include "control/config_reader.h"
#include "engine/scope.h"

namespace rampart::control {

// Reads `slow_start`, or `warm_up_conf` in its place (S1.2), of an upstream. Nothing without a
// block, or if it is wrong.
std::optional<engine::SlowStart> read_slow_start(const Block& upstream);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_SLOW_START_H_
