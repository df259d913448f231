// SPDX-License-Identifier: Apache-2.0
#include "base/ip.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace rampart {
namespace {
constexpr std::array<uint8_t, 12> kV4MappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
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

std::string host_and_port(const std::string& host, uint16_t port) {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return port == 0 ? name : name + ":" + std::to_string(port);
}

}  // namespace rampart
