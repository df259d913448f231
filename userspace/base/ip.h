// SPDX-License-Identifier: Apache-2.0
// Addresses as values. Both families are 16 bytes, IPv4 as v4-mapped, like include/rampart/addr.h.
#ifndef RAMPART_USERSPACE_BASE_IP_H_
#define RAMPART_USERSPACE_BASE_IP_H_

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rampart {

class IpAddress {
 public:
  constexpr IpAddress() = default;

  // Parses "192.0.2.1" or "2001:db8::1" (no brackets, no zone); nothing for anything else.
  static std::optional<IpAddress> parse(std::string_view text);
  static IpAddress from_bytes(const std::array<uint8_t, 16>& bytes) { return IpAddress(bytes); }
  // REQUIRES: network byte order.
  static IpAddress from_v4(uint32_t be_address);

  bool is_v4() const;
  // REQUIRES: is_v4(). Network byte order.
  uint32_t v4() const;
  const std::array<uint8_t, 16>& bytes() const { return bytes_; }
  // The canonical text (RFC 5952), IPv4 dotted.
  std::string to_string() const;

  auto operator<=>(const IpAddress&) const = default;

 private:
  explicit constexpr IpAddress(const std::array<uint8_t, 16>& bytes) : bytes_(bytes) {}
  std::array<uint8_t, 16> bytes_ = {};
};

// All addresses that share the first bits of one.
class IpRange {
 public:
  // Parses "ADDRESS/BITS", BITS at most 32 or 128; nothing for anything else. What the address has
  // behind these bits means nothing.
  static std::optional<IpRange> parse(std::string_view text);

  bool contains(const IpAddress& address) const;

  bool operator==(const IpRange&) const = default;

 private:
  IpRange(const IpAddress& first, int bits) : first_(first), bits_(bits) {}
  IpAddress first_;
  int bits_;  // of the 128
};

// "HOST:PORT", IPv6 in brackets; without the port when it is 0.
std::string host_and_port(const std::string& host, uint16_t port);

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_IP_H_
