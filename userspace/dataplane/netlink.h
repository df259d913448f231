// SPDX-License-Identifier: Apache-2.0
// The few rtnetlink questions that next hops need, on libmnl (rtnetlink(7)).
#ifndef RAMPART_USERSPACE_DATAPLANE_NETLINK_H_
#define RAMPART_USERSPACE_DATAPLANE_NETLINK_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.h"
#include "base/result.h"

struct mnl_socket;
struct nlmsghdr;

namespace rampart::dataplane {

using MacAddress = std::array<uint8_t, 6>;

struct Route {
  uint32_t ifindex = 0;
  std::optional<IpAddress> gateway;  // none: the destination is on the link
  bool local = false;                // this machine's own address
};

struct Neighbour {
  uint32_t ifindex = 0;
  IpAddress address;
  uint16_t state = 0;  // NUD_*
  std::optional<MacAddress> mac;
};

struct Link {
  uint32_t ifindex = 0;
  std::string name;
  MacAddress mac = {};
};

struct MnlClose {
  void operator()(mnl_socket* socket) const;
};
using MnlSocket = std::unique_ptr<mnl_socket, MnlClose>;

class NetlinkRequests {
 public:
  static Result<NetlinkRequests> open();

  // Nothing if there is no route.
  std::optional<Route> route_to(const IpAddress& destination);
  Result<std::vector<Neighbour>> neighbours();
  Result<std::vector<Link>> links();
  // Has the kernel resolve, or confirm, a neighbour. Does not wait for the answer.
  void use(uint32_t ifindex, const IpAddress& address);

 private:
  explicit NetlinkRequests(MnlSocket socket) : socket_(std::move(socket)) {}
  Result<void> ask(void* request, int (*on_message)(const nlmsghdr*, void*), void* into);

  MnlSocket socket_;
  uint32_t sequence_ = 0;
};

// Tells that something about links, addresses, routes or neighbours changed; not what.
class NetlinkEvents {
 public:
  static Result<NetlinkEvents> open();
  int fd() const;
  // Takes all events off. True if routes, rules, links or addresses may have changed; false if only
  // neighbours have, or nothing.
  bool drain();

 private:
  explicit NetlinkEvents(MnlSocket socket) : socket_(std::move(socket)) {}
  MnlSocket socket_;
};

}  // namespace rampart::dataplane

#endif  // RAMPART_USERSPACE_DATAPLANE_NETLINK_H_
