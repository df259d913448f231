// SPDX-License-Identifier: Apache-2.0
#include "control/planes.h"

#include <utility>

namespace rampart::control {
namespace {

engine::Scope scope_of(const UpstreamConfig& upstream) {
  engine::Scope scope{
      .id = upstream.id, .nodes = {}, .slow_start = upstream.slow_start, .panic = upstream.panic};
  if (upstream.active_check) scope.check = hash_of(*upstream.active_check);
  for (const NodeConfig& node : upstream.nodes) {
    scope.nodes.push_back(
        {.identity = node.identity(), .weight = node.weight, .priority = node.priority});
  }
  return scope;
}

}  // namespace

std::set<ScopeId> scopes_of_vips(const Config& config) {
  std::set<ScopeId> scopes;
  for (const VipConfig& vip : config.vips) scopes.insert(vip.scope);
  return scopes;
}

std::set<ScopeId> scopes_of_routes(const std::vector<RouteConfig>& routes) {
  std::set<ScopeId> scopes;
  for (const RouteConfig& route : routes) {
    if (!route.scope.empty()) scopes.insert(route.scope);
    for (const SplitConfig& split : route.split) scopes.insert(split.scope);
  }
  return scopes;
}

std::set<ScopeId> scopes_of_routes(const Config& config) {
  return scopes_of_routes(config.routes);
}

std::set<ScopeId> scope_ids(const Config& config, Plane plane) {
  const std::set<ScopeId> of_routes = scopes_of_routes(config);
  if (plane == Plane::kL7) return of_routes;
  const std::set<ScopeId> of_vips = scopes_of_vips(config);
  std::set<ScopeId> ids;
  for (const UpstreamConfig& upstream : config.upstreams) {
    if (of_vips.contains(upstream.id) || !of_routes.contains(upstream.id)) ids.insert(upstream.id);
  }
  return ids;
}

engine::Desired scopes_of(const Config& config, Plane plane) {
  const std::set<ScopeId> ids = scope_ids(config, plane);
  engine::Desired scopes;
  for (const UpstreamConfig& upstream : config.upstreams) {
    if (ids.contains(upstream.id)) scopes.push_back(scope_of(upstream));
  }
  return scopes;
}

}  // namespace rampart::control
