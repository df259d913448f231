// SPDX-License-Identifier: Apache-2.0
// What a reload changes, for people: a pure diff of two configurations.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_DIFF_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_DIFF_H_

#include <string>
#include <vector>

#include "control/config.h"
#include "control/planes.h"
#include "engine/snapshot.h"

namespace rampart::control {

// One line a change, in the order of the file: "upstream orders: node 10.0.0.12:8080 added, weight
// 100". Empty if nothing changed. Layer 7 comes last (config_diff_http).
std::vector<std::string> describe_changes(const Config& from, const Config& to);

// Orders of operators about nodes whose scope the plane, whose snapshot it is, no longer has in `to`
// (B6), one line each: they go with it.
std::vector<std::string> lost_orders(const engine::Snapshot& snapshot, const Config& to,
                                     Plane plane);

// Keys that a running rampartd cannot change; each differing one as a line that says so.
std::vector<std::string> needs_restart(const Config& from, const Config& to);

// `to` with the values of `from` where only a restart of rampartd could change them.
Config keep_static_keys(const Config& from, Config to);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_DIFF_H_
