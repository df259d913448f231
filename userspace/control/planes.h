// SPDX-License-Identifier: Apache-2.0
// Which of the two planes a part of a configuration is for. Both programs read one file, and each has
// an engine, health checks and state of its own for what it uses.
#ifndef RAMPART_USERSPACE_CONTROL_PLANES_H_
#define RAMPART_USERSPACE_CONTROL_PLANES_H_

#include <set>
#include <vector>

#include "base/ids.h"
#include "control/config.h"
#include "engine/scope.h"

namespace rampart::control {

enum class Plane { kL4, kL7 };  // of rampartd, of rampart-http

// Scopes that a VIP leads to.
std::set<ScopeId> scopes_of_vips(const Config& config);
// Scopes that a route leads to, by itself or by a traffic split.
std::set<ScopeId> scopes_of_routes(const std::vector<RouteConfig>& routes);
std::set<ScopeId> scopes_of_routes(const Config& config);

// Ids of the upstreams that are scopes of the plane (S1.4). At layer 7 those are what routes use; at
// layer 4 all others, so that one which nothing uses yet is known by the time a VIP does, and what both
// use.
std::set<ScopeId> scope_ids(const Config& config, Plane plane);

// The plane's engine's view of a configuration.
engine::Desired scopes_of(const Config& config, Plane plane = Plane::kL4);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_PLANES_H_
