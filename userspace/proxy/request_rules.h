// SPDX-License-Identifier: Apache-2.0
// What a request must be to go on, beyond its grammar: nothing that a node could read in another way.
#ifndef RAMPART_USERSPACE_PROXY_REQUEST_RULES_H_
#define RAMPART_USERSPACE_PROXY_REQUEST_RULES_H_

#include <string>
#include <string_view>

#include "proxy/message.h"

namespace rampart::proxy {

// The status to refuse it with, or 0. RFC 9112: one Host (§3.2), framing that is not in doubt (§6.3):
// Content-Length once, Transfer-Encoding only as "chunked" and only in HTTP/1.1. 501: a method or coding
// that a proxy would have to know; 417: an expectation it does not.
int refusal_of(const Head& head);

// Where a request is to go, as views of its head.
struct Destination {
  std::string_view host;  // with its port, if it has one; that of an absolute target wins over Host
  std::string_view path;  // with its query: what goes to the node
};
// REQUIRES: refusal_of() is 0.
Destination destination_of(const Head& head);

// What routes are matched with: the host in lower case without its port, and the path without its query,
// percent-decoded where that changes no meaning, and without "." and ".." (RFC 3986 §6.2.2): "/a/../b"
// is no way around a route for "/b".
std::string host_key(std::string_view host);
std::string path_key(std::string_view path);

// Whether sending it twice does what sending it once does (RFC 9110 §9.2.2).
bool is_idempotent(Method method);

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_REQUEST_RULES_H_
