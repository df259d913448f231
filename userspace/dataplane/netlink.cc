// SPDX-License-Identifier: Apache-2.0
#include "dataplane/netlink.h"

#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rampart::dataplane {
namespace {

// Attributes of one message by type, up to the greatest that is asked for; absent ones are null.
class Attributes {
 public:
  Attributes(const nlmsghdr* message, size_t header, size_t greatest) : found_(greatest + 1) {
    mnl_attr_parse(
        message, static_cast<unsigned>(header),
        [](const nlattr* attribute, void* into) {
          const uint16_t type = mnl_attr_get_type(attribute);
          auto* found = static_cast<std::vector<const nlattr*>*>(into);
          if (type < found->size()) (*found)[type] = attribute;
          return MNL_CB_OK;
        },
        &found_);
  }
  std::optional<uint32_t> u32(size_t type) const {
    if (!holds(type, sizeof(uint32_t))) return std::nullopt;
    return mnl_attr_get_u32(found_[type]);
  }
  std::optional<MacAddress> mac(size_t type) const {
    if (!holds(type, sizeof(MacAddress))) return std::nullopt;
    MacAddress mac = {};
    std::memcpy(mac.data(), mnl_attr_get_payload(found_[type]), mac.size());
    return mac;
  }
  std::string text(size_t type) const {
    return found_[type] == nullptr ? "" : mnl_attr_get_str(found_[type]);
  }

 private:
  bool holds(size_t type, size_t bytes) const {
    return found_[type] != nullptr && mnl_attr_get_payload_len(found_[type]) == bytes;
  }
  std::vector<const nlattr*> found_;
};

int on_route(const nlmsghdr* message, void* into) {
  const auto* route = static_cast<const rtmsg*>(mnl_nlmsg_get_payload(message));
  const Attributes attributes(message, sizeof *route, RTA_MAX);
  Route found;
  found.ifindex = attributes.u32(RTA_OIF).value_or(0);
  found.local = route->rtm_type != RTN_UNICAST;
  if (const auto gateway = attributes.u32(RTA_GATEWAY))
    found.gateway = IpAddress::from_v4(*gateway);
  *static_cast<std::optional<Route>*>(into) = found;
  return MNL_CB_OK;
}

int on_neighbour(const nlmsghdr* message, void* into) {
  const auto* neighbour = static_cast<const ndmsg*>(mnl_nlmsg_get_payload(message));
  const Attributes attributes(message, sizeof *neighbour, NDA_MAX);
  const auto address = attributes.u32(NDA_DST);
  if (neighbour->ndm_family != AF_INET || !address) return MNL_CB_OK;
  static_cast<std::vector<Neighbour>*>(into)->push_back(
      {.ifindex = static_cast<uint32_t>(neighbour->ndm_ifindex),
       .address = IpAddress::from_v4(*address),
       .state = neighbour->ndm_state,
       .mac = attributes.mac(NDA_LLADDR)});
  return MNL_CB_OK;
}

int on_link(const nlmsghdr* message, void* into) {
  const auto* link = static_cast<const ifinfomsg*>(mnl_nlmsg_get_payload(message));
  const Attributes attributes(message, sizeof *link, IFLA_MAX);
  static_cast<std::vector<Link>*>(into)->push_back(
      {.ifindex = static_cast<uint32_t>(link->ifi_index),
       .name = attributes.text(IFLA_IFNAME),
       .mac = attributes.mac(IFLA_ADDRESS).value_or(MacAddress{})});
  return MNL_CB_OK;
}

// A request under construction, with room for the few attributes that ours have.
struct Request {
  alignas(nlmsghdr) char bytes[256] = {};
  nlmsghdr* header = nullptr;

  template <typename Body>
  Body* start(uint16_t type, uint16_t flags) {
    header = mnl_nlmsg_put_header(bytes);
    header->nlmsg_type = type;
    header->nlmsg_flags = NLM_F_REQUEST | flags;
    return static_cast<Body*>(mnl_nlmsg_put_extra_header(header, sizeof(Body)));
  }
};

Result<MnlSocket> open_socket(unsigned groups) {
  MnlSocket socket(
      mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | (groups != 0 ? SOCK_NONBLOCK : 0)));
  if (!socket || mnl_socket_bind(socket.get(), groups, MNL_SOCKET_AUTOPID) != 0) {
    return system_error("open a netlink socket", errno);
  }
  return socket;
}

bool tells_of_more_than_neighbours(const char* messages, ssize_t length) {
  int left = static_cast<int>(length);
  const auto* one = reinterpret_cast<const nlmsghdr*>(messages);
  for (; mnl_nlmsg_ok(one, left); one = mnl_nlmsg_next(one, &left)) {
    if (one->nlmsg_type != RTM_NEWNEIGH && one->nlmsg_type != RTM_DELNEIGH) return true;
  }
  return false;
}

}  // namespace

void MnlClose::operator()(mnl_socket* socket) const {
  mnl_socket_close(socket);
}

Result<NetlinkRequests> NetlinkRequests::open() {
  auto socket = open_socket(0);
  if (!socket) return socket.error();
  return NetlinkRequests(std::move(*socket));
}

Result<void> NetlinkRequests::ask(void* request, int (*on_message)(const nlmsghdr*, void*),
                                  void* into) {
  auto* header = static_cast<nlmsghdr*>(request);
  header->nlmsg_seq = ++sequence_;
  if (mnl_socket_sendto(socket_.get(), header, header->nlmsg_len) < 0) {
    return system_error("send to netlink", errno);
  }
  // Large enough for any one read of the kernel's dumps (libmnl's recommendation is 8 KiB or a
  // page).
  std::vector<char> answer(32768);
  int more = MNL_CB_OK;
  while (more > MNL_CB_STOP) {
    const ssize_t length = mnl_socket_recvfrom(socket_.get(), answer.data(), answer.size());
    if (length < 0) return system_error("read from netlink", errno);
    more = mnl_cb_run(answer.data(), static_cast<size_t>(length), sequence_,
                      mnl_socket_get_portid(socket_.get()), on_message, into);
  }
  if (more < 0) return system_error("netlink", errno);
  return {};
}

std::optional<Route> NetlinkRequests::route_to(const IpAddress& destination) {
  Request request;
  // An acknowledgement is asked for so that a single answer, too, has an end.
  auto* route = request.start<rtmsg>(RTM_GETROUTE, NLM_F_ACK);
  route->rtm_family = AF_INET;
  route->rtm_dst_len = 32;
  mnl_attr_put_u32(request.header, RTA_DST, destination.v4());
  std::optional<Route> found;
  if (!ask(request.header, on_route, &found)) return std::nullopt;
  return found;
}

Result<std::vector<Neighbour>> NetlinkRequests::neighbours() {
  Request request;
  request.start<ndmsg>(RTM_GETNEIGH, NLM_F_DUMP)->ndm_family = AF_INET;
  std::vector<Neighbour> found;
  if (auto done = ask(request.header, on_neighbour, &found); !done) return done.error();
  return found;
}

Result<std::vector<Link>> NetlinkRequests::links() {
  Request request;
  request.start<ifinfomsg>(RTM_GETLINK, NLM_F_DUMP)->ifi_family = AF_UNSPEC;
  std::vector<Link> found;
  if (auto done = ask(request.header, on_link, &found); !done) return done.error();
  return found;
}

void NetlinkRequests::use(uint32_t ifindex, const IpAddress& address) {
  Request request;
  auto* neighbour = request.start<ndmsg>(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_ACK);
  neighbour->ndm_family = AF_INET;
  neighbour->ndm_ifindex = static_cast<int>(ifindex);
  neighbour->ndm_state = NUD_NONE;
  neighbour->ndm_flags = NTF_USE;
  mnl_attr_put_u32(request.header, NDA_DST, address.v4());
  // A refusal (the interface is gone) shows as the neighbour that stays unresolved.
  const auto ignored = ask(
      request.header, [](const nlmsghdr*, void*) { return MNL_CB_OK; }, nullptr);
  (void)ignored;
}

Result<NetlinkEvents> NetlinkEvents::open() {
  auto socket = open_socket(RTMGRP_LINK | RTMGRP_NEIGH | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE |
                            RTMGRP_IPV4_RULE);
  if (!socket) return socket.error();
  return NetlinkEvents(std::move(*socket));
}

int NetlinkEvents::fd() const {
  return mnl_socket_get_fd(socket_.get());
}

bool NetlinkEvents::drain() {
  std::vector<char> messages(32768);
  bool routes = false;
  while (true) {
    const ssize_t length = mnl_socket_recvfrom(socket_.get(), messages.data(), messages.size());
    if (length < 0 && errno != ENOBUFS) return routes;
    routes |= length < 0;  // ENOBUFS: messages were lost
    routes |= length > 0 && tells_of_more_than_neighbours(messages.data(), length);
    if (length == 0) return routes;
  }
}

}  // namespace rampart::dataplane
