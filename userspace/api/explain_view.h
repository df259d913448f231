// SPDX-License-Identifier: Apache-2.0
// Why a packet goes where it goes, and why a backend's weight is what it is (docs/api.md).
#ifndef RAMPART_USERSPACE_API_EXPLAIN_VIEW_H_
#define RAMPART_USERSPACE_API_EXPLAIN_VIEW_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "api/service.h"
#include "base/ip.h"
#include "base/result.h"

namespace rampart::api {

struct ClientEnd {
  IpAddress address;
  uint16_t port = 0;
};

// "198.51.100.7:40000", "[2001:db8::7]:40000"; nothing for anything else, nor for port 0.
std::optional<ClientEnd> parse_client(const std::string& text);

// Where the first packet of `client` to `vip` would go, and by which steps.
Result<nlohmann::json> explain_packet(Service& service, const control::VipConfig& vip,
                                      const ClientEnd& client);

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_EXPLAIN_VIEW_H_
