// SPDX-License-Identifier: Apache-2.0
// Text in the configuration: what forms of it are allowed where, and how it is shown in problems.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_TEXT_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rampart::control {

// In quotes on one line, with escapes for what a terminal must not see, cut when it is long.
std::string quoted(std::string_view text);

// "a.b", "a[0]", a["10.0.0.1:80"] for keys that are no plain word.
std::string member_path(const std::string& path, std::string_view key);
std::string item_path(const std::string& path, size_t index);

// "a, b, c".
std::string listed(std::span<const std::string_view> words);

// The word that `text` is a misspelling of (at most a third of its letters are wrong) or the start
// of.
std::optional<std::string_view> nearest(std::string_view text,
                                        std::span<const std::string_view> words);

// Offset of the first byte that is a control character or no UTF-8; size() if there is none.
size_t first_non_text(std::string_view bytes);

// A form that text must have, in words for the reader of a problem and as a test.
struct TextForm {
  std::string_view words;
  bool (*accepts)(std::string_view);
};

extern const TextForm kAnyText;        // not empty
extern const TextForm kId;             // of upstreams, VIPs, services, routes
extern const TextForm kInstanceName;   // names pins, sockets and files
extern const TextForm kInterfaceName;  // as the kernel takes it
extern const TextForm kAbsolutePath;
extern const TextForm kSocketPath;   // fits sockaddr_un
extern const TextForm kLogPath;      // an absolute path, or "stdout"
extern const TextForm kHostPattern;  // "shop.example", "*.example"
extern const TextForm kUriPattern;   // "/api/*"
extern const TextForm kMethod;       // "GET"
extern const TextForm kAddressPort;  // "127.0.0.1:9464", "[::1]:9464"
extern const TextForm kCidr;         // "10.0.0.0/8"
extern const TextForm kAddress;      // of either family
extern const TextForm kPortRange;    // "20000-60999"

bool is_host_name(std::string_view text);

// ASCII letters; names of hosts and headers have no others.
std::string lower_case(std::string text);

struct HostPort {
  std::string host;   // without brackets
  uint16_t port = 0;  // 0 = none given
};

// "HOST", "HOST:PORT", "[IPV6]" or "[IPV6]:PORT"; nothing for a bad port or stray colons. The host
// is not looked at.
std::optional<HostPort> split_host_port(std::string_view text);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_TEXT_H_
