// SPDX-License-Identifier: Apache-2.0
#include "api/http.h"

#include <charconv>
#include <string_view>

namespace rampart::api {
namespace {

// Percent-decoding (RFC 3986, 2.1). What is not a valid escape stays as it is.
std::string decode(std::string_view text) {
  std::string decoded;
  for (size_t at = 0; at < text.size(); ++at) {
    unsigned value = 0;
    const char* digits = text.data() + at + 1;
    const bool escape = text[at] == '%' && at + 2 < text.size() &&
                        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    if (escape) {
      decoded.push_back(static_cast<char>(value));
      at += 2;
    } else {
      decoded.push_back(text[at]);
    }
  }
  return decoded;
}

// The parts of `text` between `separator`s, empty ones left out.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    if (!part.empty()) parts.push_back(part);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

}  // namespace

Request parse_target(const std::string& method, const std::string& target, std::string body) {
  Request request{.method = method, .path = {}, .query = {}, .body = std::move(body), .user = {}};
  const std::string_view whole(target);
  const size_t mark = whole.find('?');
  for (const std::string_view segment : split(whole.substr(0, mark), '/')) {
    request.path.push_back(decode(segment));
  }
  if (mark == std::string_view::npos) return request;
  for (const std::string_view pair : split(whole.substr(mark + 1), '&')) {
    const size_t equals = pair.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    request.query[decode(pair.substr(0, equals))] = decode(value);
  }
  return request;
}

}  // namespace rampart::api
