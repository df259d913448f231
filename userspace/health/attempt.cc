// SPDX-License-Identifier: Apache-2.0
#include "health/attempt.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <utility>

namespace rampart::health {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// What says something of this machine and nothing of the target. Having no route to it is not among
// them: no packet would get there either.
bool is_own_fault(error_code error) {
  if (error.category() != asio::error::get_system_category()) return false;
  switch (error.value()) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
    case ENOSPC:         // watches of an epoll descriptor
    case EADDRNOTAVAIL:  // no port left
    case EAGAIN:
      return true;
    default:
      return false;
  }
}

}  // namespace

Attempt::Attempt(asio::io_context& io, const ProbeTarget& target, Prober::Done done)
    : timer_(io), target_(target), done_(std::move(done)) {}

void Attempt::run() {
  timer_.expires_after(
      std::chrono::duration_cast<asio::steady_timer::duration>(target_.check->timeout));
  timer_.async_wait([self = shared_from_this()](error_code cancelled) {
    if (cancelled || self->ended()) return;
    self->end(ProbeEnd::Kind::kTimedOut, std::string(self->step_) + ": timed out");
  });
  begin();
}

void Attempt::give_up() {
  done_ = nullptr;
  timer_.cancel();
  close();
}

void Attempt::end(ProbeEnd::Kind kind, std::string reason) {
  const Prober::Done done = std::exchange(done_, nullptr);
  timer_.cancel();
  close();
  done(ProbeEnd{kind, std::move(reason)});
}

void Attempt::fail(error_code error, ProbeEnd::Kind kind) {
  fail(error, error.message(), kind);
}

void Attempt::fail(error_code error, const std::string& words, ProbeEnd::Kind kind) {
  if (is_own_fault(error)) kind = ProbeEnd::Kind::kOwnFault;
  if (error == asio::error::timed_out) kind = ProbeEnd::Kind::kTimedOut;
  end(kind, std::string(step_) + ": " + words);
}

void Attempt::fail_later(error_code error) {
  asio::post(timer_.get_executor(), [self = shared_from_this(), error] {
    if (!self->ended()) self->fail(error);
  });
}

asio::ip::address asio_address(const IpAddress& address) {
  if (!address.is_v4()) return asio::ip::address_v6(address.bytes());
  const auto& bytes = address.bytes();
  return asio::ip::address_v4({bytes[12], bytes[13], bytes[14], bytes[15]});
}

error_code open_for_check(asio::ip::tcp::socket& socket, const asio::ip::tcp::endpoint& endpoint) {
  error_code error;
  socket.open(endpoint.protocol(), error);
  if (!error) socket.set_option(asio::socket_base::linger(true, 0), error);
  return error;
}

}  // namespace rampart::health
