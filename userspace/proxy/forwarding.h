// SPDX-License-Identifier: Apache-2.0
// The heads that a proxy sends on: what belongs to one connection stays behind, framing is its own,
// and the request says whom it came from (RFC 9110 §7.6, RFC 7239).
#ifndef RAMPART_USERSPACE_PROXY_FORWARDING_H_
#define RAMPART_USERSPACE_PROXY_FORWARDING_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/message.h"
#include "proxy/request_rules.h"

namespace rampart::proxy {

// How a message's body is sent on.
struct Framing {
  enum class Kind { kNone, kLength, kChunked, kUntilEnd };
  Kind kind = Kind::kNone;
  uint64_t length = 0;  // with kLength
};

// Whom a request came from.
struct Origin {
  std::string_view address;  // of the peer, or what the PROXY protocol said
  bool tls = false;
  bool trusted = false;  // its forwarding fields are believed, else they are replaced
};

// Appends the request's head for a node. X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host, Forwarded,
// X-Request-Id and Via are there; Expect is not, since the proxy answers it. `request_id` is used unless
// the origin is trusted and has one.
void append_request(std::string& out, const Head& head, const Destination& destination,
                    const Origin& origin, const Framing& framing, std::string_view request_id);

// What a response's head is given on its way.
struct ResponseExtras {
  bool keep_alive = true;  // of the client's connection
  int client_minor = 1;
  std::string_view upstream = {};  // for debug_headers; empty: not said
};
void append_response(std::string& out, const Head& head, const Framing& framing,
                     const ResponseExtras& extras);
// An interim response (1xx) as it is, and 101 with what it upgrades to.
void append_interim(std::string& out, const Head& head);

// An answer of the proxy's own, with a body that says what happened in a line.
struct OwnAnswer {
  int status = 500;
  std::string_view text;
  bool keep_alive = false;
  bool head_only = false;  // to HEAD
  int client_minor = 1;
};
void append_own(std::string& out, const OwnAnswer& answer);
std::string_view reason_of(int status);

// The last address of X-Forwarded-For for which `is_trusted` does not hold, else the first one; `peer`
// where there is none. REQUIRES: the peer is trusted.
std::string client_of(const Head& head, std::string_view peer,
                      const std::function<bool(std::string_view)>& is_trusted);

// The request's id as it goes on.
std::string_view request_id_of(const Head& head, const Origin& origin, std::string_view fresh);

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_FORWARDING_H_
