// SPDX-License-Identifier: Apache-2.0
// What checks of all types have in common: one deadline for the whole, and one end.
#ifndef RAMPART_USERSPACE_HEALTH_ATTEMPT_H_
#define RAMPART_USERSPACE_HEALTH_ATTEMPT_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <string>

#include "health/probe.h"

namespace boost::asio::ssl {
class context;
}

namespace rampart::health {

// Handlers share it, so it lives until the last of them has run or the event loop is gone; after its
// end they do nothing.
class Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  virtual ~Attempt() = default;

  void run();
  // Nothing is heard of it from here on.
  void give_up();

 protected:
  Attempt(boost::asio::io_context& io, const ProbeTarget& target, Prober::Done done);

  // The first asynchronous step, or a failure of it.
  virtual void begin() = 0;
  // Ends every asynchronous step that is under way.
  virtual void close() = 0;

  const control::ActiveCheck& check() const { return *target_.check; }
  const ProbeTarget& target() const { return target_; }
  bool ended() const { return done_ == nullptr; }

  // Says what is being waited for: "connect".
  void step(const char* name) { step_ = name; }
  void end(ProbeEnd::Kind kind, std::string reason);
  // Ends with `kind`, unless the error is one of this process or a timeout of the kernel.
  void fail(boost::system::error_code error, ProbeEnd::Kind kind = ProbeEnd::Kind::kTcpFailed);
  void fail(boost::system::error_code error, const std::string& words, ProbeEnd::Kind kind);
  // fail(), but from the event loop: for begin(), which must not end it (Prober::start).
  void fail_later(boost::system::error_code error);

  // A handler's hold on the object.
  template <typename Derived>
  std::shared_ptr<Derived> hold(Derived* self) {
    return std::static_pointer_cast<Derived>(self->shared_from_this());
  }

 private:
  boost::asio::steady_timer timer_;
  ProbeTarget target_;
  Prober::Done done_;  // null once it has ended
  const char* step_ = "";
};

// Of either kind of socket.
boost::asio::ip::address asio_address(const IpAddress& address);

// Opens `socket` so that closing it resets the connection. A connection that is closed in order keeps
// a port in TIME_WAIT for a minute: at thousands of checks a second they would run out. Asio undoes
// that in a socket's destructor, so the socket has to be closed by close().
boost::system::error_code open_for_check(boost::asio::ip::tcp::socket& socket,
                                         const boost::asio::ip::tcp::endpoint& endpoint);

std::shared_ptr<Attempt> make_tcp_attempt(boost::asio::io_context& io, const ProbeTarget& target,
                                          Prober::Done done);
std::shared_ptr<Attempt> make_udp_attempt(boost::asio::io_context& io, const ProbeTarget& target,
                                          Prober::Done done);
// `tls`: null for http.
std::shared_ptr<Attempt> make_http_attempt(boost::asio::io_context& io,
                                           boost::asio::ssl::context* tls,
                                           const ProbeTarget& target, Prober::Done done);

}  // namespace rampart::health

#endif  // RAMPART_USERSPACE_HEALTH_ATTEMPT_H_
