// SPDX-License-Identifier: Apache-2.0
// The daemon's state as the JSON of docs/api.md.
#ifndef RAMPART_USERSPACE_API_VIEWS_H_
#define RAMPART_USERSPACE_API_VIEWS_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "api/service.h"

namespace rampart::api {

// What an operator should know or mend, one sentence each.
std::vector<std::string> warnings(const Service& service);
nlohmann::json status_view(const Service& service);
nlohmann::json vips_view(const Service& service);
// One node for each pair of VIP and backend; only those of the VIP with id `vip` unless it is
// empty.
nlohmann::json backends_view(const Service& service, const std::string& vip);
nlohmann::json upstreams_view(const Service& service);

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_VIEWS_H_
