// SPDX-License-Identifier: Apache-2.0
// The interfaces of an instance: those that are attached, and those that the file lists.
#ifndef RAMPART_USERSPACE_DAEMON_INTERFACE_READINGS_H_
#define RAMPART_USERSPACE_DAEMON_INTERFACE_READINGS_H_

#include <map>
#include <string>
#include <vector>

#include "api/service.h"
#include "control/config.h"

namespace rampart::daemon {

// `folder` has the pins; `notes` is what was said when an interface was attached, by its name.
std::vector<api::InterfaceReading> interface_readings(
    const std::string& folder, const std::map<std::string, std::string>& notes,
    const control::Config& config);

}  // namespace rampart::daemon

#endif  // RAMPART_USERSPACE_DAEMON_INTERFACE_READINGS_H_
