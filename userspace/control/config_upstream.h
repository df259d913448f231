// SPDX-License-Identifier: Apache-2.0
// An upstream: stand-alone, embedded in a VIP, service or route, or inside a traffic split.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_UPSTREAM_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_UPSTREAM_H_

#include <optional>
#include <vector>

#include "control/config.h"
#include "control/config_node.h"
#include "control/config_reader.h"

namespace rampart::control {

struct ReadUpstream {
  UpstreamConfig config;
  std::optional<rp_hash_on> hash_on;  // what its VIPs hash on unless they say otherwise
  Field field;
  Field id;  // of a stand-alone one
  std::vector<ReadNode> nodes;
};

ReadUpstream read_upstream(const Field& field);
// `scope`: the id of the VIP, service or route around it (S1.4).
ReadUpstream read_embedded_upstream(const Field& field, const ScopeId& scope);
// Of a traffic split. `scope` is its place in the list, which is not stable: no slow start (S1.5).
ReadUpstream read_inline_upstream(const Field& field, const ScopeId& scope);

// The block `timeout` of upstreams and routes.
HttpTimeouts read_http_timeouts(const Field& field);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_UPSTREAM_H_
