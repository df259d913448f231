// SPDX-License-Identifier: Apache-2.0
#include "control/config_address.h"

#include "control/config_text.h"

namespace rampart::control {
namespace {

constexpr char kOfVip[] = "an IPv4 address";
constexpr char kOfNode[] = "an IP address of one host";
// Any text: what else is wrong with it is said more exactly below.
const TextForm kVipText = {kOfVip, [](std::string_view text) { return !text.empty(); }};
const TextForm kNodeText = {kOfNode, [](std::string_view text) { return !text.empty(); }};

// Addresses of one host: not "any", multicast, reserved or broadcast; of IPv6 not link-local ones
// either, which mean nothing without an interface.
bool is_unicast(const IpAddress& address) {
  const auto& bytes = address.bytes();
  if (address.is_v4()) return bytes[12] != 0 && bytes[12] < 224;
  const bool link_local = bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
  return address != IpAddress() && bytes[0] != 0xff && !link_local;
}

bool is_mapped(const IpAddress& address, const std::string& text) {
  return address.is_v4() && text.find(':') != std::string::npos;
}

}  // namespace

std::optional<IpAddress> read_vip_address(const Field& field) {
  const auto text = field.text(kVipText);
  if (!text) return std::nullopt;
  const auto address = IpAddress::parse(*text);
  if (!address) {
    field.refuse(kOfVip);
    return std::nullopt;
  }
  if (!address->is_v4()) {
    refuse_ipv6(field, *address);
    return address;
  }
  const bool mapped = is_mapped(*address, *text);
  if (!mapped && is_unicast(*address)) return address;
  field.refuse(std::string(kOfVip) + (mapped ? ", as such" : " of one host"));
  return std::nullopt;
}

std::optional<IpAddress> read_node_host(const Field& field) {
  const auto text = field.text(kNodeText);
  return text ? node_host(field, *text) : std::nullopt;
}

std::optional<IpAddress> node_host(const Field& field, const std::string& text) {
  if (const auto address = IpAddress::parse(text)) {
    const bool mapped = is_mapped(*address, text);
    if (!mapped && is_unicast(*address)) return address;
    field.problem("found " + quoted(text) + "; allowed: " +
                  (mapped ? std::string(kOfVip) + ", as such" : std::string(kOfNode)));
    return std::nullopt;
  }
  // A last label of digits is a mistyped address, never a name (RFC 3696).
  const std::string last = text.substr(text.rfind('.') + 1);
  const bool digits = last.find_first_not_of("0123456789") == std::string::npos;
  const bool name = is_host_name(text) && !digits;
  field.problem("found " + std::string(name ? "the host name " : "") + quoted(text) +
                (name ? ", not supported by this version" : "") + "; allowed: " + kOfNode);
  return std::nullopt;
}

void refuse_ipv6(const Field& field, const IpAddress& address, const std::string& use) {
  field.problem("found the IPv6 address " + quoted(address.to_string()) + use +
                ", not supported by this version; allowed: " + kOfVip);
}

}  // namespace rampart::control
