// SPDX-License-Identifier: Apache-2.0
#include "health/checked_scope.h"

#include <utility>

#include "base/check.h"
#include "control/check_ports.h"

namespace rampart::health {
namespace {

using engine::Health;

// Unknown also where another definition gave it (H3).
Health verdict_of(const engine::Snapshot& snapshot, const CheckedScope& scope,
                  const Identity& identity) {
  const auto state = snapshot.scopes.find(scope.id);
  if (state == snapshot.scopes.end()) return Health::kUnknown;
  const auto node = state->second.nodes.find(identity);
  if (node == state->second.nodes.end()) return Health::kUnknown;
  const engine::Condition& said = node->second.condition;
  return said.checked_by == scope.check_hash ? said.health : Health::kUnknown;
}

}  // namespace

std::vector<CheckedScope> checked_scopes(const control::Config& config, control::Plane plane,
                                         const engine::Snapshot& snapshot) {
  const auto ports = control::ports_of_users(config, plane);
  std::vector<CheckedScope> scopes;
  for (const control::UpstreamConfig& upstream : config.upstreams) {
    const auto of_users = ports.find(upstream.id);
    if (!upstream.active_check || of_users == ports.end()) continue;
    CheckedScope scope{.id = upstream.id,
                       .check = *upstream.active_check,
                       .check_hash = hash_of(*upstream.active_check),
                       .targets = {}};
    for (const control::NodeConfig& node : upstream.nodes) {
      const auto port = control::check_port(scope.check, node, of_users->second);
      RP_CHECK(port.has_value());
      scope.targets.push_back({.identity = node.identity(),
                               .addresses = {node.address},
                               .port = *port,
                               .verdict = verdict_of(snapshot, scope, node.identity())});
    }
    scopes.push_back(std::move(scope));
  }
  return scopes;
}

}  // namespace rampart::health
