// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_TESTS_UNIT_PROXY_PARSED_H_
#define RAMPART_TESTS_UNIT_PROXY_PARSED_H_

#include <string>
#include <utility>

#include "proxy/message.h"

namespace rampart::proxy {

// A head with the bytes that it is made of; lines are joined by CR LF, the last empty one is added.
template <bool kRequest>
struct Parsed {
  explicit Parsed(std::string text) : bytes(std::move(text)) {
    bytes += "\r\n";
    error = message.parse_head(bytes, head);
  }
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;

  std::string bytes;
  Message<kRequest> message;
  Head head;
  ParseError error;
};
using ParsedRequest = Parsed<true>;
using ParsedResponse = Parsed<false>;

}  // namespace rampart::proxy

#endif  // RAMPART_TESTS_UNIT_PROXY_PARSED_H_
