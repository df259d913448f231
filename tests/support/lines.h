// SPDX-License-Identifier: Apache-2.0
// The lines of a document, as those who look for a problem count them.
#ifndef RAMPART_TESTS_SUPPORT_LINES_H_
#define RAMPART_TESTS_SUPPORT_LINES_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace rampart::test {

class Lines {
 public:
  explicit Lines(std::string_view document) {
    size_t from = 0;
    for (size_t end; (end = document.find('\n', from)) != std::string_view::npos; from = end + 1) {
      lines_.push_back(document.substr(from, end - from));
    }
    lines_.push_back(document.substr(from));  // empty behind a last line that is ended
  }

  // Line and column, both from 1, are those of a byte, or of the end of a line.
  bool have(int line, int column) const {
    return line >= 1 && column >= 1 && static_cast<size_t>(line) <= lines_.size() &&
           static_cast<size_t>(column) <= at(line).size() + 1;
  }

  // REQUIRES: there is one of that number.
  std::string_view at(int line) const { return lines_[static_cast<size_t>(line) - 1]; }

 private:
  std::vector<std::string_view> lines_;  // never none
};

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_LINES_H_
