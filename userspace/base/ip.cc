// SPDX-License-Identifier: Apache-2.0
#include "base/ip.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/whole_number.h"

namespace rampart {
namespace {
constexpr std::array<uint8_t, 12> kV4MappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr int kAddressBits = 128;
}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string terminated(text);
  in_addr v4 = {};
  if (inet_pton(AF_INET, terminated.c_str(), &v4) == 1) return from_v4(v4.s_addr);
  std::array<uint8_t, 16> bytes = {};
  if (inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return IpAddress(bytes);
  return std::nullopt;
}

IpAddress IpAddress::from_v4(uint32_t be_address) {
  std::array<uint8_t, 16> bytes = {};
  std::copy(kV4MappedPrefix.begin(), kV4MappedPrefix.end(), bytes.begin());
  std::memcpy(bytes.data() + kV4MappedPrefix.size(), &be_address, sizeof be_address);
  return IpAddress(bytes);
}

bool IpAddress::is_v4() const {
  return std::equal(kV4MappedPrefix.begin(), kV4MappedPrefix.end(), bytes_.begin());
}

uint32_t IpAddress::v4() const {
  RP_CHECK(is_v4());
  uint32_t be_address = 0;
  std::memcpy(&be_address, bytes_.data() + kV4MappedPrefix.size(), sizeof be_address);
  return be_address;
}

std::string IpAddress::to_string() const {
  char text[INET6_ADDRSTRLEN] = {};
  const bool v4 = is_v4();
  const void* from = v4 ? bytes_.data() + kV4MappedPrefix.size() : bytes_.data();
  RP_CHECK(inet_ntop(v4 ? AF_INET : AF_INET6, from, text, sizeof text) != nullptr);
  return text;
}

std::optional<IpRange> IpRange::parse(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto first = IpAddress::parse(text.substr(0, slash));
  const auto bits = whole_number<unsigned>(text.substr(slash + 1));
  // A mapped address is written with dots.
  const int mapped = first && first->is_v4() ? static_cast<int>(kV4MappedPrefix.size()) * 8 : 0;
  if (!first || !bits || static_cast<int>(*bits) > kAddressBits - mapped) return std::nullopt;
  return IpRange(*first, mapped + static_cast<int>(*bits));
}

bool IpRange::contains(const IpAddress& address) const {
  const auto& a = address.bytes();
  const auto& b = first_.bytes();
  const int whole = bits_ / 8;
  if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
  const int rest = bits_ % 8;
  return rest == 0 || (a[whole] ^ b[whole]) >> (8 - rest) == 0;
}

std::string host_and_port(const std::string& host, uint16_t port) {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return port == 0 ? name : name + ":" + std::to_string(port);
}

}  // namespace rampart
