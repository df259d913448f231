// SPDX-License-Identifier: Apache-2.0
#include "health/passive.h"

namespace rampart::health {
namespace {

control::ActiveCheck as_active(const control::PassiveCheck& check) {
  control::ActiveCheck active;
  active.healthy.successes = check.successes;
  active.unhealthy.tcp_failures = check.tcp_failures;
  active.unhealthy.http_failures = check.http_failures;
  active.unhealthy.timeouts = check.timeouts;
  return active;
}

}  // namespace

bool PassiveVerdicts::count(const ScopeId& scope, const Identity& identity, Report report,
                            const control::PassiveCheck& check) {
  const auto known = verdicts_.try_emplace({scope, identity}, Verdict(engine::Health::kUp)).first;
  if (!known->second.count(report, as_active(check))) return false;
  verdicts_.erase(known);
  return true;
}

void PassiveVerdicts::keep_only(const std::map<ScopeId, std::set<Identity>>& nodes) {
  std::erase_if(verdicts_, [&](const auto& entry) {
    const auto scope = nodes.find(entry.first.first);
    return scope == nodes.end() || !scope->second.contains(entry.first.second);
  });
}

}  // namespace rampart::health
