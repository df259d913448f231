// SPDX-License-Identifier: Apache-2.0
#include "support/udp.h"

#include <poll.h>
#include <sys/eventfd.h>

#include "support/sockets.h"

namespace rampart::test {
namespace {

// Answers the datagram that waits on `socket`. A server on all addresses must say from which one it
// answers: the address that was asked, whatever route the answer takes.
void answer(int socket, const std::string& name) {
  char received[64];
  sockaddr_in client = {};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(in_pktinfo))] = {};
  iovec bytes = {received, sizeof(received)};
  msghdr message = {};
  message.msg_name = &client;
  message.msg_namelen = sizeof(client);
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  if (recvmsg(socket, &message, 0) < 0) return;

  if (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr) {
    auto* info = reinterpret_cast<in_pktinfo*>(CMSG_DATA(header));
    info->ipi_spec_dst = info->ipi_addr;
    info->ipi_ifindex = 0;  // any interface: the route decides
  }
  bytes = {const_cast<char*>(name.data()), name.size()};
  sendmsg(socket, &message, 0);
}

}  // namespace

UdpFlow::UdpFlow(const std::string& address, uint16_t port)
    : socket_(connected(SOCK_DGRAM, address, port)) {
  if (!socket_) throw BedFailure("no route to " + address);
}

std::optional<std::string> UdpFlow::ask(std::chrono::milliseconds limit) {
  if (send(socket_.get(), "?", 1, 0) != 1) return std::nullopt;
  pollfd readable = {socket_.get(), POLLIN, 0};
  if (poll(&readable, 1, static_cast<int>(limit.count())) != 1) return std::nullopt;
  char name[64];
  const ssize_t got = recv(socket_.get(), name, sizeof(name), 0);
  if (got < 0) return std::nullopt;
  return std::string(name, static_cast<size_t>(got));
}

std::optional<std::string> udp_ask(const std::string& address, uint16_t port,
                                   std::chrono::milliseconds limit) {
  return UdpFlow(address, port).ask(limit);
}

UdpServer::UdpServer(const Netns& netns, std::map<uint16_t, std::string> names)
    : stop_(eventfd(0, EFD_CLOEXEC)) {
  netns.run([&] {
    for (const auto& [port, name] : names) {
      sockets_.push_back(bound(SOCK_DGRAM, port));
      const int on = 1;
      setsockopt(sockets_.back().get(), IPPROTO_IP, IP_PKTINFO, &on, sizeof(on));
      names_[sockets_.back().get()] = name;
    }
  });
  thread_ = std::thread([this] { serve(); });
}

UdpServer::~UdpServer() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void UdpServer::serve() {
  Poller poller;
  poller.add(stop_);
  for (const Fd& socket : sockets_) poller.add(socket);
  for (int fd = poller.next(); fd != stop_.get(); fd = poller.next()) answer(fd, names_.at(fd));
}

}  // namespace rampart::test
