// SPDX-License-Identifier: Apache-2.0
// What chash hashes of a request (P8): `hash_on` and `key` of its upstream.
#ifndef RAMPART_USERSPACE_PROXY_HASH_KEY_H_
#define RAMPART_USERSPACE_PROXY_HASH_KEY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/message.h"
#include "proxy/request_rules.h"
#include "proxy/serving.h"

namespace rampart::proxy {

struct HashInput {
  const Head& head;
  const Destination& destination;
  std::string_view client;  // its address
  uint16_t client_port;
  bool tls;
};

// What a variable may be called: uri is the path without its query, '_' stands for '-' in http_NAME.
inline constexpr char kVariableNames[] =
    "uri, request_uri, query_string, arg_NAME, host, remote_addr, remote_port, scheme, "
    "request_method, http_NAME, cookie_NAME";

// A request that lacks what is hashed is hashed by its client's address.
std::string hash_key(const Upstream& upstream, const HashInput& input);

// Whether `name` is one of the variables.
bool is_variable(std::string_view name);

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_HASH_KEY_H_
