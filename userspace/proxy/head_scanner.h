// SPDX-License-Identifier: Apache-2.0
// Where a message's head ends, and that its lines are lines.
//
// The parser (message.h) wants a head in one piece, and is generous with line endings: it unfolds what
// RFC 9112 calls obs-fold. Two programs that do not agree on where a line ends are how requests are
// smuggled, so here a line ends with CR LF, and a head's line never begins with white space.
#ifndef RAMPART_USERSPACE_PROXY_HEAD_SCANNER_H_
#define RAMPART_USERSPACE_PROXY_HEAD_SCANNER_H_

#include <cstddef>
#include <string_view>

namespace rampart::proxy {

struct HeadLimits {
  size_t first_line = 8192;
  size_t head = 32768;  // bytes, first line included
  size_t fields = 128;
};
inline constexpr HeadLimits kHeadLimits;

class HeadScanner {
 public:
  enum class State {
    kMore,            // so far so good
    kComplete,        // size() bytes are a head
    kBadLine,         // a bare LF, or a line that begins with white space
    kFirstLineLarge,  // 414
    kTooLarge,        // 431: the head, or its number of lines
  };

  // `bytes` begin where the message does, and are those of the last call and more. Empty lines before
  // the first are part of the head, as RFC 9112 §2.2 wants it: skipped() bytes.
  State scan(std::string_view bytes);

  size_t size() const { return line_; }
  size_t skipped() const { return first_; }
  void reset() { *this = HeadScanner(); }

 private:
  size_t first_ = 0;    // where the first line begins
  size_t line_ = 0;     // where the current line begins
  size_t scanned_ = 0;  // without another line's end
  size_t lines_ = 0;    // that are complete
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_HEAD_SCANNER_H_
