// SPDX-License-Identifier: Apache-2.0
// What requests show of a node, `checks.passive` of the file (H1). It takes a node down; only the active
// check beside it brings the node back.
#ifndef RAMPART_USERSPACE_CONTROL_PASSIVE_CHECK_H_
#define RAMPART_USERSPACE_CONTROL_PASSIVE_CHECK_H_

#include <cstdint>
#include <set>

namespace rampart::control {

// The defaults are those of Apache APISIX's upstreams. A count of 0 turns a kind of report off.
struct PassiveCheck {
  // A success forgets the failures that came before; it never brings a node back. A status that neither set
  // has is no report.
  std::set<uint16_t> healthy_statuses = {200, 201, 202, 203, 204, 205, 206, 207, 208, 226,
                                         300, 301, 302, 303, 304, 305, 306, 307, 308};
  uint32_t successes = 5;  // 0: successes are no reports; else any
  std::set<uint16_t> unhealthy_statuses = {429, 500, 503};
  uint32_t tcp_failures = 2;
  uint32_t http_failures = 5;
  uint32_t timeouts = 7;
  bool operator==(const PassiveCheck&) const = default;
};

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_PASSIVE_CHECK_H_
