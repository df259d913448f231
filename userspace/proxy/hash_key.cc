// SPDX-License-Identifier: Apache-2.0
#include "proxy/hash_key.h"

#include <algorithm>
#include <array>
#include <boost/beast/core/string.hpp>
#include <optional>

namespace rampart::proxy {
namespace {

using Found = std::optional<std::string_view>;

Found header(const Head& head, std::string_view name) {
  for (const Field& field : head.fields) {
    const bool same =
        field.name.size() == name.size() &&
        std::equal(name.begin(), name.end(), field.name.begin(), [](char wanted, char is) {
          const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; };
          return lower(wanted == '_' ? '-' : wanted) == lower(is == '_' ? '-' : is);
        });
    if (same) return field.value;
  }
  return std::nullopt;
}

// The value of NAME in "A=1<separator>NAME=2".
Found pair_in(std::string_view text, std::string_view name, char separator) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    const size_t equals = one.find('=');
    if (equals != std::string_view::npos && one.substr(0, equals) == name) {
      return one.substr(equals + 1);
    }
  }
  return std::nullopt;
}

Found cookie(const Head& head, std::string_view name) {
  for (const Field& field : head.fields) {
    if (field.id != FieldName::cookie) continue;
    if (const Found value = pair_in(field.value, name, ';')) return value;
  }
  return std::nullopt;
}

std::string_view query_of(std::string_view path) {
  const size_t mark = path.find('?');
  return mark == std::string_view::npos ? std::string_view() : path.substr(mark + 1);
}

constexpr std::array<std::string_view, 8> kPlain = {"uri",    "request_uri",   "query_string",
                                                    "host",   "remote_addr",   "remote_port",
                                                    "scheme", "request_method"};
constexpr std::array<std::string_view, 3> kPrefixes = {"arg_", "http_", "cookie_"};

std::optional<std::string> variable(std::string_view name, const HashInput& in) {
  const auto made = [](Found found) {
    return found ? std::optional<std::string>(*found) : std::nullopt;
  };
  const std::string_view path = in.destination.path;
  if (name == "uri") return std::string(path.substr(0, path.find('?')));
  if (name == "request_uri") return std::string(path);
  if (name == "query_string") return std::string(query_of(path));
  if (name == "host") return host_key(in.destination.host);
  if (name == "remote_port") return std::to_string(in.client_port);
  if (name == "scheme") return in.tls ? "https" : "http";
  if (name == "request_method") return std::string(in.head.method_text);
  if (name.starts_with("arg_")) return made(pair_in(query_of(path), name.substr(4), '&'));
  if (name.starts_with("http_")) return made(header(in.head, name.substr(5)));
  if (name.starts_with("cookie_")) return made(cookie(in.head, name.substr(7)));
  return std::nullopt;
}

}  // namespace

bool is_variable(std::string_view name) {
  return std::find(kPlain.begin(), kPlain.end(), name) != kPlain.end() ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) {
           return name.size() > prefix.size() && name.starts_with(prefix);
         });
}

std::string hash_key(const Upstream& upstream, const HashInput& in) {
  std::optional<std::string> key;
  switch (upstream.hash_on) {
    case HashSource::kClientAddressAndPort:
      return host_and_port(std::string(in.client), in.client_port);
    case HashSource::kHeader:
      if (const Found found = header(in.head, upstream.key)) key = *found;
      break;
    case HashSource::kCookie:
      if (const Found found = cookie(in.head, upstream.key)) key = *found;
      break;
    case HashSource::kVariable:
      key = variable(upstream.key, in);
      break;
    case HashSource::kClientAddress:
      break;
  }
  return key && !key->empty() ? *key : std::string(in.client);
}

}  // namespace rampart::proxy
