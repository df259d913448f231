// SPDX-License-Identifier: Apache-2.0
// Has a configuration that was read again be in force, as far as a running process can (C3, C4).
#ifndef RAMPART_USERSPACE_DAEMON_ACCEPT_READ_H_
#define RAMPART_USERSPACE_DAEMON_ACCEPT_READ_H_

#include <string>
#include <vector>

#include "api/service.h"
#include "control/config.h"
#include "daemon/interfaces.h"
#include "daemon/plane.h"

namespace rampart::daemon {

// As program::Reloads::Target::apply; `file` is where it was read from.
std::vector<std::string> accept_read(control::Config read, const std::string& file, Plane& plane,
                                     Interfaces& interfaces, api::ReloadReport& report);

}  // namespace rampart::daemon

#endif  // RAMPART_USERSPACE_DAEMON_ACCEPT_READ_H_
