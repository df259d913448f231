// SPDX-License-Identifier: Apache-2.0
#include "control/config_text.h"

#include <sys/un.h>

#include <algorithm>
#include <climits>
#include <numeric>
#include <vector>

#include "base/ip.h"
#include "base/whole_number.h"

namespace rampart::control {
namespace {

constexpr size_t kLongestShown = 64;
constexpr size_t kLongestId = 128;
constexpr size_t kLongestInstance = 64;
constexpr size_t kLongestInterface = 15;  // IFNAMSIZ - 1
constexpr size_t kLongestSocketPath = sizeof(sockaddr_un::sun_path) - 1;
constexpr size_t kLongestHostName = 253;  // RFC 1035
constexpr size_t kLongestLabel = 63;

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_word(std::string_view text, std::string_view also) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [also](char c) {
    return is_alnum(c) || also.find(c) != std::string_view::npos;
  });
}

bool is_printable(char c) {
  return c >= 0x20 && c < 0x7f;
}

bool accepts_any(std::string_view text) {
  return !text.empty();
}
bool accepts_id(std::string_view text) {
  return text.size() <= kLongestId && is_word(text, "_.-");
}
bool accepts_instance(std::string_view text) {
  return text.size() <= kLongestInstance && is_word(text, "_-");
}
bool accepts_interface(std::string_view text) {
  // dev_valid_name() of the kernel, and no bytes that would not survive a terminal.
  return !text.empty() && text.size() <= kLongestInterface && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), is_printable) &&
         text.find_first_of("/: ") == std::string_view::npos;
}
bool accepts_path(std::string_view text) {
  return text.starts_with('/') && text.size() < PATH_MAX;
}
bool accepts_socket(std::string_view text) {
  return text.starts_with('/') && !text.ends_with('/') && text.size() <= kLongestSocketPath;
}
bool accepts_log_path(std::string_view text) {
  return text == "stdout" || accepts_path(text);
}
bool accepts_host_pattern(std::string_view text) {
  constexpr std::string_view kAnyBelow = "*.";
  return is_host_name(text.starts_with(kAnyBelow) ? text.substr(kAnyBelow.size()) : text);
}
bool accepts_uri(std::string_view text) {
  return text.starts_with('/');
}
bool accepts_method(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}
bool accepts_address_port(std::string_view text) {
  const auto split = split_host_port(text);
  return split && split->port != 0 && IpAddress::parse(split->host).has_value();
}
bool accepts_cidr(std::string_view text) {
  return IpRange::parse(text).has_value();
}
bool accepts_address(std::string_view text) {
  return IpAddress::parse(text).has_value();
}
bool accepts_port_range(std::string_view text) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return false;
  const auto low = whole_number<uint16_t>(text.substr(0, dash));
  const auto high = whole_number<uint16_t>(text.substr(dash + 1));
  return low && high && *low >= 1 && *low <= *high;
}

// Letters to insert, remove or replace between two words (Levenshtein), one row of the table at a
// time.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

// Bytes of the UTF-8 character at the start of `bytes` (RFC 3629); 0 if there is none.
size_t character_length(std::string_view bytes) {
  if (!bytes.empty() && uint8_t(bytes[0]) < 0x80) return 1;
  const auto byte = [bytes](size_t i) { return i < bytes.size() ? uint8_t(bytes[i]) : uint8_t{0}; };
  const auto follows = [&byte](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint8_t first = byte(0);
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool beyond = first == 0xf4 && byte(1) > 0x8f;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

const TextForm kAnyText = {"text", accepts_any};
const TextForm kId = {"1 to 128 letters, digits, '_', '.' or '-'", accepts_id};
const TextForm kInstanceName = {"1 to 64 letters, digits, '_' or '-'", accepts_instance};
const TextForm kInterfaceName = {"an interface name of 1 to 15 characters", accepts_interface};
const TextForm kAbsolutePath = {"an absolute path", accepts_path};
const TextForm kSocketPath = {"an absolute path of at most 107 bytes", accepts_socket};
const TextForm kLogPath = {"an absolute path, or stdout", accepts_log_path};
const TextForm kHostPattern = {"a host name, or \"*.\" and one", accepts_host_pattern};
const TextForm kUriPattern = {"a path that begins with '/'", accepts_uri};
const TextForm kMethod = {"a method in capital letters", accepts_method};
const TextForm kAddressPort = {"ADDRESS:PORT", accepts_address_port};
const TextForm kCidr = {"ADDRESS/BITS", accepts_cidr};
const TextForm kAddress = {"an IP address", accepts_address};
const TextForm kPortRange = {"FIRST-LAST, two ports in order", accepts_port_range};

std::string quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string shown = "\"";
  for (const char c : text.substr(0, kLongestShown)) {
    if (c == '"' || c == '\\') shown += '\\';
    if (is_printable(c)) {
      shown += c;
    } else {
      shown += {'\\', 'x', kHex[uint8_t(c) >> 4], kHex[uint8_t(c) & 15]};
    }
  }
  return shown + (text.size() > kLongestShown ? "…\"" : "\"");
}

std::string member_path(const std::string& path, std::string_view key) {
  if (key.size() > kLongestShown || !is_word(key, "_")) return path + "[" + quoted(key) + "]";
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

std::string item_path(const std::string& path, size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

std::string listed(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

std::optional<std::string_view> nearest(std::string_view text,
                                        std::span<const std::string_view> words) {
  if (text.size() > kLongestShown) return std::nullopt;
  std::optional<std::string_view> best;
  size_t least = (text.size() + 2) / 3 + 1;
  for (const std::string_view word : words) {
    const bool shortened = text.size() > 1 && word.starts_with(text);
    const size_t distance = shortened ? 1 : edit_distance(text, word);
    if (distance >= least) continue;
    least = distance;
    best = word;
  }
  return best;
}

size_t first_non_text(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    const uint8_t byte = static_cast<uint8_t>(bytes[at]);
    const bool white = byte == '\t' || byte == '\n' || byte == '\r';
    if ((byte < 0x20 && !white) || byte == 0x7f) return at;
    const size_t length = character_length(bytes.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return at;
}

bool is_host_name(std::string_view text) {
  if (text.empty() || text.size() > kLongestHostName) return false;
  while (true) {
    const size_t dot = text.find('.');
    const std::string_view label = text.substr(0, dot);
    const bool ends_well = !label.starts_with('-') && !label.ends_with('-');
    if (!is_word(label, "-_") || label.size() > kLongestLabel || !ends_well) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return text;
}

std::optional<HostPort> split_host_port(std::string_view text) {
  size_t end = text.find(':');
  std::string_view host = text.substr(0, end);
  if (text.starts_with('[')) {
    const size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) return std::nullopt;
    host = text.substr(1, bracket - 1);
    end = bracket + 1;
  }
  if (host.empty()) return std::nullopt;
  if (end >= text.size()) return HostPort{std::string(host), 0};
  if (text[end] != ':') return std::nullopt;
  const auto port = whole_number<uint16_t>(text.substr(end + 1));
  if (!port || *port == 0) return std::nullopt;
  return HostPort{std::string(host), *port};
}

}  // namespace rampart::control
