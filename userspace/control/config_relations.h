// SPDX-License-Identifier: Apache-2.0
// Rules that hold between parts of a file: ids that name something, things that may exist once,
// nodes that fit their VIP, numbers that fit their limits.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_RELATIONS_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_RELATIONS_H_

#include <optional>
#include <vector>

#include "control/config.h"
#include "control/config_reader.h"
#include "control/config_routes.h"
#include "control/config_upstream.h"
#include "control/config_vip.h"

namespace rampart::control {

struct ReadParts {
  std::vector<ReadUpstream> upstreams;  // stand-alone
  std::vector<ReadVip> vips;
  std::optional<HttpConfig> http;
  ReadRoutes routes;
};

// Notes every rule that `parts` break. `vips_field` is the list of VIPs, the place of what is wrong
// with all of them together.
void check_relations(const ReadParts& parts, const BpfConfig& bpf, const Field& vips_field);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_RELATIONS_H_
