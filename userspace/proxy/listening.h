// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_USERSPACE_PROXY_LISTENING_H_
#define RAMPART_USERSPACE_PROXY_LISTENING_H_

#include <compare>
#include <cstdint>
#include <memory>

#include "base/fd.h"
#include "base/ip.h"
#include "base/result.h"

namespace rampart::proxy {

class TlsServer;

struct Place {
  IpAddress address;
  uint16_t port = 0;
  auto operator<=>(const Place&) const = default;
};

// A place to accept connections at, and how they are spoken to.
struct Listening {
  Place place;
  bool proxy_protocol = false;
  bool debug_headers = false;
  std::shared_ptr<const TlsServer> tls;  // null: plain
};

// A socket that listens there, one of several that share what comes. Port 0: any that is free.
Result<Fd> open_listener(const Place& place);
// Where a socket listens.
Place place_of(const Fd& listener);

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_LISTENING_H_
