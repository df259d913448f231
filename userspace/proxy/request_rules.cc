// SPDX-License-Identifier: Apache-2.0
#include "proxy/request_rules.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/ip.h"

namespace rampart::proxy {
namespace {

constexpr int kBadRequest = 400, kExpectationFailed = 417, kNotImplemented = 501;

bool is(std::string_view text, std::string_view word) {
  return boost::beast::iequals(text, word);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_unreserved(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

// Where what is no part of a name begins (RFC 3986 §3.2.2: reg-name, which an IPv4 address is too).
size_t end_of_name(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '%') {
      if (at + 2 >= text.size() || hex_digit(text[at + 1]) < 0 || hex_digit(text[at + 2]) < 0)
        break;
      at += 3;
    } else if (is_unreserved(text[at]) ||
               std::string_view("!$&'()*+,;=").find(text[at]) != std::string_view::npos) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

// Behind the bracket of "[::1]"; 0 if that is none.
size_t end_of_bracketed(std::string_view text) {
  const size_t end = text.find(']');
  if (end == std::string_view::npos || !IpAddress::parse(text.substr(1, end - 1))) return 0;
  return end + 1;
}

bool is_port(std::string_view text) {
  constexpr uint32_t kMostPort = 65535;
  uint32_t port = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), port);
  return text.empty() ||
         (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && port <= kMostPort);
}

enum class Name { kMayBeEmpty, kThere };

// "NAME", "NAME:PORT", "[IPv6]", "[IPv6]:PORT".
bool is_host(std::string_view text, Name name) {
  const bool bracketed = text.starts_with('[');
  const size_t end = bracketed ? end_of_bracketed(text) : end_of_name(text);
  if (end == 0 && (bracketed || name == Name::kThere || !text.empty())) return false;
  const std::string_view rest = text.substr(end);
  return rest.empty() || (rest.front() == ':' && is_port(rest.substr(1)));
}

int framing_refusal(const Head& head) {
  const size_t codings = head.count(FieldName::transfer_encoding);
  const size_t lengths = head.count(FieldName::content_length);
  if (codings + lengths > 1) return kBadRequest;
  // Beast takes "5, 5".
  if (lengths == 1 && head.find(FieldName::content_length)->find(',') != std::string_view::npos) {
    return kBadRequest;
  }
  if (codings == 0) return 0;
  if (head.minor == 0) return kBadRequest;
  if (is(*head.find(FieldName::transfer_encoding), "chunked")) return 0;
  // With chunked at the end the message can be told from what follows, without it not.
  return head.chunked ? kNotImplemented : kBadRequest;
}

std::optional<std::string_view> after_scheme(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (is(target.substr(0, scheme.size()), scheme)) return target.substr(scheme.size());
  }
  return std::nullopt;
}

int target_refusal(const Head& head) {
  const std::string_view target = head.target;
  if (target.empty() || target.find('#') != std::string_view::npos) return kBadRequest;
  if (target.front() == '/') return 0;
  if (target == "*") return head.method == Method::options ? 0 : kBadRequest;
  const auto rest = after_scheme(target);
  if (!rest) return kBadRequest;
  const std::string_view authority = rest->substr(0, rest->find_first_of("/?"));
  return is_host(authority, Name::kThere) ? 0 : kBadRequest;
}

// "%41" is "A"; what is reserved stays as it is written.
std::string decode_unreserved(std::string_view path) {
  std::string decoded;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '%' && i + 2 < path.size()) {
      const int high = hex_digit(path[i + 1]), low = hex_digit(path[i + 2]);
      const char c = static_cast<char>(high * 16 + low);
      if (high >= 0 && low >= 0 && is_unreserved(c)) {
        decoded += c;
        i += 2;
        continue;
      }
    }
    decoded += path[i];
  }
  return decoded;
}

std::string without_dot_segments(std::string_view path) {
  std::string result;
  while (!path.empty()) {
    const size_t next = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(0, next);  // with the slash before it
    path.remove_prefix(next);
    if (segment == "/." || segment == "/..") {
      if (segment == "/..") result.resize(result.empty() ? 0 : result.rfind('/'));
      if (path.empty()) result += '/';
    } else {
      result += segment;
    }
  }
  return result;
}

}  // namespace

int refusal_of(const Head& head) {
  if (head.method == Method::connect) return kNotImplemented;
  const size_t hosts = head.count(FieldName::host);
  if (hosts > 1 || (hosts == 0 && head.minor == 1)) return kBadRequest;
  if (hosts == 1 && !is_host(*head.find(FieldName::host), Name::kMayBeEmpty)) return kBadRequest;
  if (const int status = target_refusal(head); status != 0) return status;
  if (const int status = framing_refusal(head); status != 0) return status;
  const bool unmet = std::any_of(head.fields.begin(), head.fields.end(), [](const Field& field) {
    return field.id == FieldName::expect && !is(field.value, "100-continue");
  });
  return unmet ? kExpectationFailed : 0;
}

Destination destination_of(const Head& head) {
  const auto rest = after_scheme(head.target);
  if (!rest) return {head.find(FieldName::host).value_or(""), head.target};
  const size_t slash = std::min(rest->find_first_of("/?"), rest->size());
  const std::string_view path = rest->substr(slash);
  return {rest->substr(0, slash), path.empty() ? "/" : path};
}

std::string host_key(std::string_view host) {
  const bool bracketed = !host.empty() && host.front() == '[';
  const size_t colon = bracketed ? host.find("]:") : host.find(':');
  std::string key(host.substr(0, colon == std::string_view::npos ? colon : colon + bracketed));
  for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!key.empty() && key.back() == '.') key.pop_back();
  return key;
}

std::string path_key(std::string_view path) {
  path = path.substr(0, path.find('?'));
  if (path.empty()) return "/";
  if (path.find('%') == std::string_view::npos && path.find("/.") == std::string_view::npos) {
    return std::string(path);
  }
  return without_dot_segments(decode_unreserved(path));
}

bool is_idempotent(Method method) {
  switch (method) {
    case Method::get:
    case Method::head:
    case Method::put:
    case Method::delete_:
    case Method::options:
    case Method::trace:
      return true;
    default:
      return false;
  }
}

}  // namespace rampart::proxy
