// SPDX-License-Identifier: Apache-2.0
#include "dataplane/neighbours.h"

#include <linux/neighbour.h>
#include <net/if.h>

#include <cstring>
#include <utility>

#include "rampart/limits.h"

namespace rampart::dataplane {
namespace {

// States in which the kernel itself would send to the address it has.
constexpr uint16_t kUsable =
    NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE;
// States that need no question: confirmed, being confirmed, or fixed by the administrator.
constexpr uint16_t kQuiet =
    NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_DELAY | NUD_PROBE | NUD_INCOMPLETE;

uint64_t wire_mac(const MacAddress& mac) {
  uint64_t word = 0;
  std::memcpy(&word, mac.data(), mac.size());
  return word;
}

std::string interface_name(uint32_t ifindex) {
  char name[IF_NAMESIZE] = {};
  return if_indextoname(ifindex, name) == nullptr ? "interface " + std::to_string(ifindex) : name;
}

}  // namespace

Neighbours::Neighbours(NetlinkRequests requests, NetlinkEvents events,
                       maps::MappedArray<rp_port>& ports)
    : requests_(std::move(requests)), events_(std::move(events)), ports_(&ports) {}

Result<Neighbours> Neighbours::open(maps::MappedArray<rp_port>& ports) {
  auto requests = NetlinkRequests::open();
  if (!requests) return requests.error();
  auto events = NetlinkEvents::open();
  if (!events) return events.error();
  return Neighbours(std::move(*requests), std::move(*events), ports);
}

Result<void> Neighbours::refresh() {
  drain();
  if (std::exchange(routes_changed_, false)) {
    hops_.clear();
    local_.clear();
  }
  look_up_routes();
  take_adopted();
  if (auto done = refresh_ports(); !done) return done;
  return refresh_neighbours();
}

// Of those whose route is not known. It is a system call for each: for a thousand targets every few
// seconds, it would be the most that an idle daemon does.
void Neighbours::look_up_routes() {
  for (const IpAddress& target : targets_) {
    if (hops_.contains(target) || local_.contains(target)) continue;
    const auto route = requests_.route_to(target);
    if (route && route->local) local_.insert(target);
    if (!route || route->local || route->ifindex == 0) continue;
    hops_.emplace(target, Hop{route->ifindex, route->gateway.value_or(target)});
  }
}

void Neighbours::adopt(const IpAddress& target, uint64_t next_hop) {
  if (next_hop >> RP_HOP_PORT_SHIFT != 0) adopted_[target] = next_hop;
}

// What was adopted holds for a target that is still reached by the same interface.
void Neighbours::take_adopted() {
  for (const auto& [target, word] : adopted_) {
    const auto hop = hops_.find(target);
    const auto port = static_cast<uint32_t>(word >> RP_HOP_PORT_SHIFT) - 1;
    if (hop == hops_.end() || port >= ports_->size()) continue;
    if (ports_->at(port).ifindex != hop->second.ifindex) continue;
    MacAddress mac = {};
    std::memcpy(mac.data(), &word, mac.size());
    known_.emplace(hop->second, mac);
  }
  adopted_.clear();
}

Result<void> Neighbours::refresh_neighbours() {
  std::set<Hop> wanted;
  for (const auto& [target, hop] : hops_) wanted.insert(hop);
  std::erase_if(known_, [&](const auto& entry) { return !wanted.contains(entry.first); });

  const auto neighbours = requests_.neighbours();
  if (!neighbours) return neighbours.error();
  std::set<Hop> to_ask = wanted;
  for (const Neighbour& neighbour : *neighbours) {
    const Hop hop{neighbour.ifindex, neighbour.address};
    if (!wanted.contains(hop)) continue;
    if ((neighbour.state & kUsable) != 0 && neighbour.mac) known_[hop] = *neighbour.mac;
    if ((neighbour.state & NUD_FAILED) != 0) known_.erase(hop);
    if ((neighbour.state & kQuiet) != 0) to_ask.erase(hop);
  }
  for (const Hop& hop : to_ask) requests_.use(hop.ifindex, hop.address);
  return {};
}

// A port's entry, once made, is kept for as long as its interface exists: next hops name it by
// index.
Result<void> Neighbours::refresh_ports() {
  const auto links = requests_.links();
  if (!links) return links.error();
  std::map<uint32_t, MacAddress> present;
  for (const Link& link : *links) present.emplace(link.ifindex, link.mac);
  std::set<uint32_t> wanted;
  for (const auto& [target, hop] : hops_) wanted.insert(hop.ifindex);

  for (uint32_t index = 0; index < ports_->size(); ++index) {
    rp_port& port = ports_->at(index);
    if (port.ifindex == 0) continue;
    const auto link = present.find(port.ifindex);
    if (link == present.end()) {
      maps::store(port.ifindex, __u32{0});
    } else {
      maps::store(port.mac, static_cast<__u64>(wire_mac(link->second)));
      wanted.erase(port.ifindex);
    }
  }
  for (const uint32_t ifindex : wanted) {
    uint32_t index = 0;
    while (index < ports_->size() && ports_->at(index).ifindex != 0) ++index;
    if (index == ports_->size()) {
      return Error{Code::kFailed, "backends are reached by more than " +
                                      std::to_string(RP_MAX_PORTS) + " interfaces"};
    }
    maps::store(ports_->at(index).mac, static_cast<__u64>(wire_mac(present[ifindex])));
    maps::store(ports_->at(index).ifindex, static_cast<__u32>(ifindex));
  }
  return {};
}

std::optional<uint16_t> Neighbours::port_of(uint32_t ifindex) const {
  for (uint32_t index = 0; index < ports_->size(); ++index) {
    if (ports_->at(index).ifindex == ifindex) return static_cast<uint16_t>(index);
  }
  return std::nullopt;
}

bool Neighbours::all_resolved(const std::set<IpAddress>& targets) const {
  for (const IpAddress& target : targets) {
    const auto hop = hops_.find(target);
    if (hop == hops_.end() || !known_.contains(hop->second)) return false;
  }
  return true;
}

void Neighbours::resolve(const IpAddress& address) {
  const auto route = requests_.route_to(address);
  if (!route || route->local || route->ifindex == 0) return;
  requests_.use(route->ifindex, route->gateway.value_or(address));
}

uint64_t Neighbours::towards(const IpAddress& target, rp_forward forward) const {
  const auto hop = hops_.find(target);
  if (hop == hops_.end()) return 0;
  const bool on_link = hop->second.address == target;
  if (forward == RP_FORWARD_L2 && !on_link) return 0;
  const auto mac = known_.find(hop->second);
  const auto port = port_of(hop->second.ifindex);
  if (mac == known_.end() || !port) return 0;
  return wire_mac(mac->second) | uint64_t{*port + 1u} << RP_HOP_PORT_SHIFT;
}

uint32_t Neighbours::ifindex_towards(const IpAddress& address) {
  const auto route = requests_.route_to(address);
  return route ? route->ifindex : 0;
}

std::string Neighbours::interface_towards(const IpAddress& target) const {
  const auto hop = hops_.find(target);
  return hop == hops_.end() ? "" : interface_name(hop->second.ifindex);
}

std::string Neighbours::describe(const IpAddress& target, rp_forward forward) const {
  const auto hop = hops_.find(target);
  if (local_.contains(target)) return "an address of this machine: it cannot be a backend";
  if (hop == hops_.end()) return "no route";
  const std::string where =
      hop->second.address.to_string() + " dev " + interface_name(hop->second.ifindex);
  if (forward == RP_FORWARD_L2 && hop->second.address != target) {
    return where + ": a router, but forward: l2 needs the backend on the same link";
  }
  return where + (known_.contains(hop->second) ? ": resolved" : ": not resolved");
}

}  // namespace rampart::dataplane
