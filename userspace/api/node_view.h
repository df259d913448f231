// SPDX-License-Identifier: Apache-2.0
// One backend as the node of docs/api.md.
#ifndef RAMPART_USERSPACE_API_NODE_VIEW_H_
#define RAMPART_USERSPACE_API_NODE_VIEW_H_

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "api/service.h"

namespace rampart::api {

// The nodes of one VIP, those that drain after their removal behind those of the configuration.
std::vector<nlohmann::json> nodes_of(const Service& service, const control::VipConfig& vip);

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_NODE_VIEW_H_
