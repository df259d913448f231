// SPDX-License-Identifier: Apache-2.0
// What is to be written next, as parts that are gathered: a head, and the pieces of a body in their frame.
#ifndef RAMPART_USERSPACE_PROXY_FRAMED_H_
#define RAMPART_USERSPACE_PROXY_FRAMED_H_

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "proxy/forwarding.h"
#include "proxy/message.h"
#include "proxy/stream.h"

namespace rampart::proxy {

class Framed {
 public:
  void clear() { parts_.clear(); }
  void add(std::string_view text) {
    if (!text.empty()) parts_.push_back(part_of(text));
  }
  // All pieces are one chunk. `last`: the body ends with them. REQUIRES: once between clear() and parts().
  void add_body(const BodyPieces& body, const Framing& framing, bool last);

  // Views of what was added.
  std::span<iovec> parts() { return parts_; }

 private:
  std::vector<iovec> parts_;
  std::array<char, 20> size_line_;
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_FRAMED_H_
