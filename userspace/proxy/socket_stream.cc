// SPDX-License-Identifier: Apache-2.0
#include "proxy/socket_stream.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rampart::proxy {
namespace {

namespace asio = boost::asio;

void set(int fd, int level, int option, int value) {
  setsockopt(fd, level, option, &value, sizeof value);
}

bool is_blocked(int error_number) {
  return error_number == EAGAIN || error_number == EWOULDBLOCK || error_number == EINTR;
}

}  // namespace

SocketStream::SocketStream(Socket socket) : socket_(std::move(socket)) {
  boost::system::error_code ignored;
  socket_.non_blocking(true, ignored);
  // Heads and small bodies go out whole; waiting for more to come only delays them.
  set(fd(), IPPROTO_TCP, TCP_NODELAY, 1);
}

Result<std::unique_ptr<SocketStream>> SocketStream::connect(asio::io_context& io,
                                                            const asio::ip::tcp::endpoint& to) {
  Socket socket(io);
  boost::system::error_code error;
  socket.open(to.protocol(), error);
  if (error) return system_error("socket", error.value());
  auto stream = std::make_unique<SocketStream>(std::move(socket));
  if (::connect(stream->fd(), to.data(), static_cast<socklen_t>(to.size())) == 0) return stream;
  if (errno != EINPROGRESS) return system_error("connect", errno);
  stream->connecting_ = true;
  return stream;
}

Stream::Moved SocketStream::failed(int error_number) {
  error_number_ = error_number;
  return {Status::kFailed, 0};
}

Stream::Moved SocketStream::establish() {
  if (!connecting_) return {};
  int error_number = 0;
  socklen_t size = sizeof error_number;
  getsockopt(fd(), SOL_SOCKET, SO_ERROR, &error_number, &size);
  if (error_number != 0) return failed(error_number);
  // Whoever has a peer is connected; SO_ERROR is 0 before, too.
  sockaddr_storage peer;
  socklen_t peer_size = sizeof peer;
  if (getpeername(fd(), reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0) {
    return errno == ENOTCONN ? Moved{Status::kBlocked, 0} : failed(errno);
  }
  connecting_ = false;
  return {};
}

Stream::Moved SocketStream::read(std::span<char> into) {
  const ssize_t got = recv(fd(), into.data(), into.size(), 0);
  if (got > 0) return {Status::kDone, static_cast<size_t>(got)};
  if (got == 0) return {Status::kEnd, 0};
  return is_blocked(errno) ? Moved{Status::kBlocked, 0} : failed(errno);
}

Stream::Moved SocketStream::write(std::span<const iovec> parts) {
  msghdr message = {};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  const ssize_t put = sendmsg(fd(), &message, MSG_NOSIGNAL);
  if (put >= 0) return {Status::kDone, static_cast<size_t>(put)};
  return is_blocked(errno) ? Moved{Status::kBlocked, 0} : failed(errno);
}

void SocketStream::await(Wait what, bool Waits::*awaited, Call call,
                         std::shared_ptr<StreamOwner> owner) {
  if (std::exchange((*waits_).*awaited, true)) return;
  socket_.async_wait(what, [waits = waits_, awaited, call,
                            owner = std::move(owner)](boost::system::error_code cancelled) {
    if (cancelled || !waits->open) return;
    (*waits).*awaited = false;
    ((*owner).*call)();
  });
}

void SocketStream::call_soon(Call call, std::shared_ptr<StreamOwner> owner) {
  asio::post(socket_.get_executor(), [waits = waits_, call, owner = std::move(owner)] {
    if (waits->open) ((*owner).*call)();
  });
}

void SocketStream::await_established(std::shared_ptr<StreamOwner> owner) {
  await(Socket::wait_write, &Waits::writing, &StreamOwner::on_established, std::move(owner));
}
void SocketStream::await_readable(std::shared_ptr<StreamOwner> owner) {
  await(Socket::wait_read, &Waits::reading, &StreamOwner::on_readable, std::move(owner));
}
void SocketStream::await_writable(std::shared_ptr<StreamOwner> owner) {
  await(Socket::wait_write, &Waits::writing, &StreamOwner::on_writable, std::move(owner));
}

void SocketStream::finish_writing() {
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void SocketStream::close() {
  waits_->open = false;
  boost::system::error_code ignored;
  socket_.close(ignored);
}

std::string SocketStream::failure() const {
  return std::strerror(error_number_);
}

void SocketStream::expect_silence() {
  constexpr int kSilentSeconds = 60, kBetweenSeconds = 10, kTries = 6;
  set(fd(), SOL_SOCKET, SO_KEEPALIVE, 1);
  set(fd(), IPPROTO_TCP, TCP_KEEPIDLE, kSilentSeconds);
  set(fd(), IPPROTO_TCP, TCP_KEEPINTVL, kBetweenSeconds);
  set(fd(), IPPROTO_TCP, TCP_KEEPCNT, kTries);
}

}  // namespace rampart::proxy
