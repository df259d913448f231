// SPDX-License-Identifier: Apache-2.0
#include "proxy/listening.h"

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <string>

#include "proxy/endpoint.h"

namespace rampart::proxy {
namespace {

// The kernel cuts it to net.core.somaxconn.
constexpr int kBacklog = 65535;

}  // namespace

Result<Fd> open_listener(const Place& place) {
  const boost::asio::ip::tcp::endpoint at = endpoint_of(place.address, place.port);
  const std::string step = "listen at " + host_and_port(place.address.to_string(), place.port);
  Fd fd(socket(at.protocol().family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!fd) return system_error(step + ": socket", errno);
  const int yes = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  // Each worker has its own queue; the kernel spreads connections over them.
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes);
  // "::" is IPv6 alone, so that 0.0.0.0 may stand beside it.
  if (!place.address.is_v4()) {
    setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  }
  if (bind(fd.get(), at.data(), static_cast<socklen_t>(at.size())) != 0) {
    const Code code = errno == EACCES ? Code::kMissingPrivilege : Code::kCannotAttach;
    return system_error(step, errno, code);
  }
  if (::listen(fd.get(), kBacklog) != 0) return system_error(step, errno, Code::kCannotAttach);
  return fd;
}

Place place_of(const Fd& listener) {
  boost::asio::ip::tcp::endpoint at;
  socklen_t size = static_cast<socklen_t>(at.capacity());
  getsockname(listener.get(), at.data(), &size);
  at.resize(size);
  return {address_of(at), at.port()};
}

}  // namespace rampart::proxy
