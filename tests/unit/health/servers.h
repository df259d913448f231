// SPDX-License-Identifier: Apache-2.0
// Little servers on loopback, each on a port that the kernel picks, and one check of one of them.
#ifndef RAMPART_TESTS_UNIT_HEALTH_SERVERS_H_
#define RAMPART_TESTS_UNIT_HEALTH_SERVERS_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/fd.h"
#include "health/network_prober.h"
#include "support/wait.h"

namespace rampart::health {

// A socket of 127.0.0.1.
class Bound {
 public:
  explicit Bound(int type) : fd_(socket(AF_INET, type | SOCK_CLOEXEC, 0)) {
    sockaddr_in place = {};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    RP_CHECK(bind(fd_.get(), reinterpret_cast<sockaddr*>(&place), sizeof(place)) == 0);
    socklen_t size = sizeof(place);
    RP_CHECK(getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&place), &size) == 0);
    port_ = ntohs(place.sin_port);
  }
  const Fd& fd() const { return fd_; }
  uint16_t port() const { return port_; }

 private:
  Fd fd_;
  uint16_t port_ = 0;
};

// Calls `serve` with every connection, on a thread of its own, until it is destroyed.
class TcpServer {
 public:
  using Serve = std::function<void(const Fd&)>;

  explicit TcpServer(Serve serve) : serve_(std::move(serve)) {
    RP_CHECK(listen(bound_.fd().get(), 16) == 0);
    thread_ = std::thread([this] { run(); });
  }
  ~TcpServer() {
    stopped_ = true;
    shutdown(bound_.fd().get(), SHUT_RDWR);  // ends accept()
    thread_.join();
  }
  uint16_t port() const { return bound_.port(); }

 private:
  void run() {
    while (!stopped_) {
      const Fd connection(accept4(bound_.fd().get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (connection) serve_(connection);
    }
  }

  Bound bound_{SOCK_STREAM};
  Serve serve_;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

// What the peer sends until it has sent `end` or closed.
inline std::string read_until(const Fd& socket, const std::string& end) {
  std::string text;
  char buffer[512];
  while (text.find(end) == std::string::npos) {
    const ssize_t size = recv(socket.get(), buffer, sizeof(buffer), 0);
    if (size <= 0) break;
    text.append(buffer, static_cast<size_t>(size));
  }
  return text;
}

inline void write_all(const Fd& socket, const std::string& text) {
  send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
}

// Until the peer has closed.
inline void hold_open(const Fd& socket) {
  char buffer[512];
  while (recv(socket.get(), buffer, sizeof(buffer), 0) > 0) {
  }
}

// Runs the loop until `condition` holds.
template <typename Condition>
[[nodiscard]] bool run_until(boost::asio::io_context& io, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    io.restart();
    io.run_one_until(deadline);
  }
  return true;
}

// Of a check that is given far longer than it needs, or so short a time that a silent server is not
// waited for.
inline constexpr std::chrono::seconds kLong{30};
inline constexpr std::chrono::milliseconds kShort{100};

inline control::ActiveCheck check_of(control::CheckType type, Duration timeout = kLong) {
  control::ActiveCheck check;
  check.type = type;
  check.timeout = timeout;
  return check;
}

// How one check of 127.0.0.1 ends. Exactly one end is reported, and not before start() returned.
inline ProbeEnd probe(const control::ActiveCheck& check, uint16_t port) {
  boost::asio::io_context io;
  const std::unique_ptr<Prober> prober = make_network_prober(io);
  std::optional<ProbeEnd> end;
  const ProbeTarget target{.check = std::make_shared<const control::ActiveCheck>(check),
                           .address = *IpAddress::parse("127.0.0.1"),
                           .port = port};
  const std::unique_ptr<Probe> probe = prober->start(target, [&end](const ProbeEnd& said) {
    RP_CHECK(!end);
    end = said;
  });
  RP_CHECK(!end);
  if (!run_until(io, [&end] { return end.has_value(); })) {
    return {ProbeEnd::Kind::kOwnFault, "the test's patience ended"};
  }
  io.restart();
  io.run();  // nothing is left to do, and nothing is said again
  return *end;
}

}  // namespace rampart::health

#endif  // RAMPART_TESTS_UNIT_HEALTH_SERVERS_H_
