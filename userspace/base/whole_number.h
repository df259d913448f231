// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_USERSPACE_BASE_WHOLE_NUMBER_H_
#define RAMPART_USERSPACE_BASE_WHOLE_NUMBER_H_

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace rampart {

// The number that a text is, all of it, in decimal digits; nothing for anything else, or if it does not
// fit T. Lexical casts and stoul take "-1" for the greatest of all.
template <typename T>
std::optional<T> whole_number(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_WHOLE_NUMBER_H_
