// SPDX-License-Identifier: Apache-2.0
// Next hops, kept current from the kernel's routes and neighbours (X2).
//
// Traffic that XDP forwards never touches the kernel's neighbour entries, so nothing refreshes
// them: the kernel would let them go stale and forget them. This asks for them again and again
// instead (NTF_USE, as `ip neigh … use`), and keeps the last MAC address in use until the kernel
// says FAILED.
//
// Thread-safety: none; the control thread owns it. No call waits for the network.
#ifndef RAMPART_USERSPACE_DATAPLANE_NEIGHBOURS_H_
#define RAMPART_USERSPACE_DATAPLANE_NEIGHBOURS_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/ip.h"
#include "base/result.h"
#include "dataplane/netlink.h"
#include "maps/typed_map.h"
#include "rampart/values.h"

namespace rampart::dataplane {

class Neighbours {
 public:
  // REQUIRES: `ports` outlives this. It is written here and nowhere else.
  static Result<Neighbours> open(maps::MappedArray<rp_port>& ports);

  // Readable when routes, links or neighbours may have changed; drain() empties it.
  int event_fd() const { return events_.fd(); }
  void drain() { routes_changed_ = events_.drain() || routes_changed_; }

  // The addresses to keep a next hop for.
  void set_targets(std::set<IpAddress> targets) {
    routes_changed_ = routes_changed_ || targets != targets_;
    targets_ = std::move(targets);
  }
  // A next hop that an earlier process knew: used until the kernel says FAILED, as if it were ours.
  void adopt(const IpAddress& target, uint64_t next_hop);
  // Looks up routes if they, or the targets, may have changed, then neighbours, and asks the kernel to
  // resolve what it does not know.
  Result<void> refresh();
  // Whether every target has a next hop; whether these have.
  bool all_resolved() const { return all_resolved(targets_); }
  bool all_resolved(const std::set<IpAddress>& targets) const;
  const std::set<IpAddress>& targets() const { return targets_; }
  // Asks the kernel to resolve an address that the packet program missed.
  void resolve(const IpAddress& address);

  // The word of rp_backend.next_hop towards a target, 0 if unresolved. In l2 the target itself has
  // to be the neighbour: a frame cannot be addressed to it through a router.
  uint64_t towards(const IpAddress& target, rp_forward forward) const;
  // The interface by which the kernel reaches any address, asked now; 0 if there is no route.
  uint32_t ifindex_towards(const IpAddress& address);
  // The interface by which a target is reached; empty if there is no route.
  std::string interface_towards(const IpAddress& target) const;
  // "10.0.0.10 dev eth1: resolved", for status.
  std::string describe(const IpAddress& target, rp_forward forward) const;

 private:
  struct Hop {
    uint32_t ifindex;
    IpAddress address;  // the neighbour: a router, or the target itself
    auto operator<=>(const Hop&) const = default;
  };
  Neighbours(NetlinkRequests requests, NetlinkEvents events, maps::MappedArray<rp_port>& ports);

  void look_up_routes();
  void take_adopted();
  Result<void> refresh_neighbours();
  Result<void> refresh_ports();
  std::optional<uint16_t> port_of(uint32_t ifindex) const;

  NetlinkRequests requests_;
  NetlinkEvents events_;
  maps::MappedArray<rp_port>* ports_;
  std::set<IpAddress> targets_;
  bool routes_changed_ = true;             // since they were looked up
  std::map<IpAddress, Hop> hops_;          // target → where it is reached
  std::set<IpAddress> local_;              // targets that are addresses of this machine
  std::map<Hop, MacAddress> known_;        // resolved, or was and did not fail since
  std::map<IpAddress, uint64_t> adopted_;  // until the first refresh()
};

}  // namespace rampart::dataplane

#endif  // RAMPART_USERSPACE_DATAPLANE_NEIGHBOURS_H_
