// SPDX-License-Identifier: Apache-2.0
// What concerns the balancer as a whole: its name, interfaces, kernel side, files and sockets.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_SYSTEM_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_SYSTEM_H_

#include "control/config.h"
#include "control/config_reader.h"

namespace rampart::control {

// Reads the keys of the document that are neither upstreams, VIPs nor layer 7: a Config without
// those.
Config read_system(const Block& document);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_SYSTEM_H_
