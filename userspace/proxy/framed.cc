// SPDX-License-Identifier: Apache-2.0
#include "proxy/framed.h"

#include <charconv>

namespace rampart::proxy {

void Framed::add_body(const BodyPieces& body, const Framing& framing, bool last) {
  const bool chunked = framing.kind == Framing::Kind::kChunked;
  if (chunked && body.bytes > 0) {
    char* const begin = size_line_.data();
    char* end = std::to_chars(begin, begin + 16, body.bytes, 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    add({begin, static_cast<size_t>(end - begin)});
  }
  for (const std::string_view piece : body.pieces) add(piece);
  if (!chunked) return;
  if (body.bytes > 0) add("\r\n");
  if (!last) return;
  add("0\r\n");
  add(body.trailers);
  add("\r\n");
}

}  // namespace rampart::proxy
