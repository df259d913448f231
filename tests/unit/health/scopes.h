// SPDX-License-Identifier: Apache-2.0
// Scopes to check, in few words.
#ifndef RAMPART_TESTS_UNIT_HEALTH_SCOPES_H_
#define RAMPART_TESTS_UNIT_HEALTH_SCOPES_H_

#include <string>
#include <utility>
#include <vector>

#include "health/checked_scope.h"
#include "health/probe.h"

namespace rampart::health {

inline Target target(const std::string& address, uint16_t port = 80,
                     engine::Health verdict = engine::Health::kUnknown) {
  return {.identity = host_and_port(address, port),
          .addresses = {*IpAddress::parse(address)},
          .port = port,
          .verdict = verdict};
}

// Up after one pass, down after two failures of any kind, unless it says otherwise.
inline control::ActiveCheck some_check() {
  control::ActiveCheck check;
  check.type = control::CheckType::kTcp;
  check.healthy.successes = 1;
  check.unhealthy = {.tcp_failures = 2, .http_failures = 2, .timeouts = 2, .http_statuses = {503}};
  return check;
}

inline CheckedScope scope(const ScopeId& id, std::vector<Target> targets,
                          const control::ActiveCheck& check = some_check()) {
  return {.id = id, .check = check, .check_hash = hash_of(check), .targets = std::move(targets)};
}

inline ProbeEnd passed() {
  return {ProbeEnd::Kind::kPassed, "connected"};
}
inline ProbeEnd refused() {
  return {ProbeEnd::Kind::kTcpFailed, "connect: Connection refused"};
}

}  // namespace rampart::health

#endif  // RAMPART_TESTS_UNIT_HEALTH_SCOPES_H_
