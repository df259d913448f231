// SPDX-License-Identifier: Apache-2.0
#include "control/config_address.h"

#include "control/config_text.h"

namespace rampart::control {
namespace {

constexpr char kAllowed[] = "an IPv4 address";
// Any text: what else is wrong with it is said more exactly below.
const TextForm kAddressText = {kAllowed, [](std::string_view text) { return !text.empty(); }};

// Addresses of one host: not "any", multicast, reserved or broadcast.
bool is_unicast_v4(const IpAddress& address) {
  const uint8_t first = address.bytes()[12];
  return first != 0 && first < 224;
}

std::optional<IpAddress> checked(const Field& field, const IpAddress& address,
                                 const std::string& text) {
  if (!address.is_v4()) {
    field.problem("found the IPv6 address " + quoted(text) +
                  ", not supported by this version; allowed: " + kAllowed);
    return address;
  }
  const bool mapped = text.find(':') != std::string::npos;
  if (!mapped && is_unicast_v4(address)) return address;
  field.problem("found " + quoted(text) + "; allowed: " + kAllowed +
                (mapped ? ", as such" : " of one host"));
  return std::nullopt;
}

}  // namespace

std::optional<IpAddress> read_vip_address(const Field& field) {
  const auto text = field.text(kAddressText);
  if (!text) return std::nullopt;
  if (const auto address = IpAddress::parse(*text)) return checked(field, *address, *text);
  field.refuse(kAllowed);
  return std::nullopt;
}

std::optional<IpAddress> read_node_host(const Field& field) {
  const auto text = field.text(kAddressText);
  return text ? node_host(field, *text) : std::nullopt;
}

std::optional<IpAddress> node_host(const Field& field, const std::string& text) {
  if (const auto address = IpAddress::parse(text)) return checked(field, *address, text);
  // A last label of digits is a mistyped address, never a name (RFC 3696).
  const std::string last = text.substr(text.rfind('.') + 1);
  const bool digits = last.find_first_not_of("0123456789") == std::string::npos;
  const bool name = is_host_name(text) && !digits;
  field.problem("found " + std::string(name ? "the host name " : "") + quoted(text) +
                (name ? ", not supported by this version" : "") + "; allowed: " + kAllowed);
  return std::nullopt;
}

}  // namespace rampart::control
