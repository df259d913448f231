// SPDX-License-Identifier: Apache-2.0
// Sockets of the calling thread's network namespace, all giving up after kPatience.
#ifndef RAMPART_TESTS_SUPPORT_SOCKETS_H_
#define RAMPART_TESTS_SUPPORT_SOCKETS_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "base/fd.h"
#include "support/process.h"

namespace rampart::test {

inline sockaddr_in ipv4(const std::string& address, uint16_t port) {
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  if (inet_pton(AF_INET, address.c_str(), &place.sin_addr) != 1) {
    throw BedFailure("not an IPv4 address: " + address);
  }
  return place;
}

inline void be_patient(const Fd& socket) {
  constexpr timeval patience = {kPatience.count() / 1000, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

// Binds it to a port on every address of the namespace; false if that fails.
inline bool bind_to(const Fd& socket, uint16_t port) {
  const int on = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const sockaddr_in place = ipv4("0.0.0.0", port);
  return bind(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof(place)) == 0;
}

// A socket connected to an address, from a port if one is given; an empty Fd if that fails.
inline Fd connected(int type, const std::string& address, uint16_t port, uint16_t from = 0) {
  Fd made(socket(AF_INET, type | SOCK_CLOEXEC, 0));
  be_patient(made);
  if (from != 0 && !bind_to(made, from)) return Fd();
  const sockaddr_in place = ipv4(address, port);
  if (connect(made.get(), reinterpret_cast<const sockaddr*>(&place), sizeof(place)) != 0) {
    made.reset();
  }
  return made;
}

// A TCP socket that goes on connecting by itself, whether or not anybody answers.
inline Fd beginning(const std::string& address, uint16_t port) {
  Fd made(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const sockaddr_in place = ipv4(address, port);
  connect(made.get(), reinterpret_cast<const sockaddr*>(&place), sizeof(place));
  return made;
}

// A socket bound to a port on every address of the namespace.
inline Fd bound(int type, uint16_t port) {
  Fd made(socket(AF_INET, type | SOCK_CLOEXEC, 0));
  if (!bind_to(made, port)) {
    throw BedFailure("bind to port " + std::to_string(port) + ": " + strerror(errno));
  }
  return made;
}

// Waits for several descriptors at once.
class Poller {
 public:
  Poller() : poll_(epoll_create1(EPOLL_CLOEXEC)) {}

  void add(const Fd& fd, uint32_t events = EPOLLIN) { control(EPOLL_CTL_ADD, fd, events); }
  void change(const Fd& fd, uint32_t events) { control(EPOLL_CTL_MOD, fd, events); }

  // To be called before it is closed: closing alone is not enough while a process that is being
  // started still holds a copy.
  void remove(int fd) { epoll_ctl(poll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

  // The next one that can be read or has ended.
  int next() {
    for (;;) {
      if (const auto fd = next_within(std::chrono::milliseconds(-1))) return *fd;
    }
  }

  // The same, if there is one within `limit`.
  std::optional<int> next_within(std::chrono::milliseconds limit) {
    epoll_event event = {};
    if (epoll_wait(poll_.get(), &event, 1, static_cast<int>(limit.count())) != 1) {
      return std::nullopt;
    }
    const int fd = event.data.fd;  // a copy: the event is packed
    return fd;
  }

 private:
  void control(int operation, const Fd& fd, uint32_t events) {
    epoll_event event = {};
    event.events = events;
    event.data.fd = fd.get();
    epoll_ctl(poll_.get(), operation, fd.get(), &event);
  }

  Fd poll_;
};

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_SOCKETS_H_
