// SPDX-License-Identifier: Apache-2.0
// The definition of an upstream's active check, `checks.active` of the file (H1). The defaults are
// those of Apache APISIX's upstreams, so that a block taken from there means here what it meant.
#ifndef RAMPART_USERSPACE_CONTROL_ACTIVE_CHECK_H_
#define RAMPART_USERSPACE_CONTROL_ACTIVE_CHECK_H_

#include <chrono>
#include <compare>
#include <cstdint>
#include <set>
#include <string>

#include "base/time.h"

namespace rampart::control {

enum class CheckType { kTcp, kHttp, kHttps, kUdp };

struct CheckHeader {
  std::string name;
  std::string value;
  auto operator<=>(const CheckHeader&) const = default;
};

// What brings a target up. A count of 0 turns a kind of report off: it neither changes a verdict nor
// interrupts a row of others.
struct CheckHealthy {
  std::chrono::seconds interval{1};  // between two checks of a target that is up or unknown
  uint32_t successes = 2;
  std::set<uint16_t> http_statuses = {200, 302};
  bool operator==(const CheckHealthy&) const = default;
};

// What takes it down.
struct CheckUnhealthy {
  std::chrono::seconds interval{1};  // between two checks of a target that is down
  uint32_t tcp_failures = 2;
  uint32_t http_failures = 5;
  uint32_t timeouts = 3;
  std::set<uint16_t> http_statuses = {404, 429, 500, 501, 502, 503, 504, 505};
  bool operator==(const CheckUnhealthy&) const = default;
};

// Members that a type has no use for have their defaults: the parser refuses them beside it. What
// has no order in meaning is ordered here, so that equal definitions are equal values.
struct ActiveCheck {
  CheckType type = CheckType::kHttp;
  Duration timeout = std::chrono::seconds(1);  // of a whole check
  uint32_t concurrency = 10;                   // checks of the upstream that are under way at once
  std::string host{};                          // for Host, SNI and certificate; empty: the address
  uint16_t port = 0;                           // 0: that of the target
  std::string http_path = "/";
  bool https_verify_certificate = true;
  std::multiset<CheckHeader> req_headers{};
  std::string payload{};          // of a udp check; empty: an empty datagram
  std::string expected_prefix{};  // of its answer; empty: any answer will do
  CheckHealthy healthy{};
  CheckUnhealthy unhealthy{};
  bool operator==(const ActiveCheck&) const = default;
};

// Stands for the definition where verdicts are kept (H3): equal for equal definitions in every
// process and version, and another one whenever any member differs.
uint64_t hash_of(const ActiveCheck& check);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_ACTIVE_CHECK_H_
