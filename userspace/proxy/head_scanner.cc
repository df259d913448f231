// SPDX-License-Identifier: Apache-2.0
#include "proxy/head_scanner.h"

#include <algorithm>

namespace rampart::proxy {

HeadScanner::State HeadScanner::scan(std::string_view bytes) {
  while (true) {
    const size_t end = bytes.find('\n', scanned_);
    const bool complete = end != std::string_view::npos;
    const size_t reach = complete ? end + 1 : bytes.size();
    if (lines_ == 0 && reach - first_ > kHeadLimits.first_line) return State::kFirstLineLarge;
    if (reach > kHeadLimits.head) return State::kTooLarge;
    if (lines_ > 0 && line_ < reach && (bytes[line_] == ' ' || bytes[line_] == '\t')) {
      return State::kBadLine;
    }
    if (!complete) {
      scanned_ = bytes.size();
      return State::kMore;
    }
    if (end == line_ || bytes[end - 1] != '\r') return State::kBadLine;
    const bool empty = end == line_ + 1;
    line_ = scanned_ = end + 1;
    if (empty && lines_ > 0) return State::kComplete;
    if (empty) {
      first_ = line_;
    } else if (++lines_ > kHeadLimits.fields + 1) {
      return State::kTooLarge;
    }
  }
}

}  // namespace rampart::proxy
