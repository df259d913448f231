// SPDX-License-Identifier: Apache-2.0
// Where upstreams get their nodes from, if not from the file itself (K, D).
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_DISCOVERY_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_DISCOVERY_H_

#include "control/config_reader.h"

namespace rampart::control {

// Each checks the shape of what it names, and refuses it: this version has no discovery.

// The keys of an upstream; true if it says that it is discovered.
bool check_discovered(const Block& upstream);

// The block `discovery` of the document.
void check_discovery(const Field& field);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_DISCOVERY_H_
