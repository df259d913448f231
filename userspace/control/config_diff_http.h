// SPDX-License-Identifier: Apache-2.0
// What a reload changes at layer 7, for people: a pure diff of two configurations.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_DIFF_HTTP_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_DIFF_HTTP_H_

#include <string>
#include <vector>

#include "control/config.h"

namespace rampart::control {

// One line a change: listeners, what holds for all of them, routes. What needs a restart is not
// among them, and upstreams are not either: both planes have those.
std::vector<std::string> describe_http_changes(const Config& from, const Config& to);

// Keys that a running rampart-http cannot change; each differing one as a line that says so.
std::vector<std::string> http_needs_restart(const Config& from, const Config& to);

// `to` with the values of `from` where only a restart of rampart-http could change them.
Config keep_static_http_keys(const Config& from, Config to);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_DIFF_HTTP_H_
