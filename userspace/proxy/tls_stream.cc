// SPDX-License-Identifier: Apache-2.0
#include "proxy/tls_stream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rampart::proxy {
namespace {

constexpr size_t kRecord = 16384;  // bytes of one TLS record

}  // namespace

TlsStream::TlsStream(std::unique_ptr<SocketStream> socket, ssl_st* ssl)
    : socket_(std::move(socket)), ssl_(ssl) {
  SSL_set_fd(ssl_, socket_->fd());
}

TlsStream::~TlsStream() {
  SSL_free(ssl_);
}

Stream::Moved TlsStream::meaning_of(int returned, Wants& wants) {
  const int kind = SSL_get_error(ssl_, returned);
  if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) {
    wants = kind == SSL_ERROR_WANT_READ ? Wants::kRead : Wants::kWrite;
    return {Status::kBlocked, 0};
  }
  if (kind == SSL_ERROR_ZERO_RETURN) return {Status::kEnd, 0};
  const long verified = SSL_get_verify_result(ssl_);
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  if (verified != X509_V_OK) {
    failure_ = std::string("certificate: ") + X509_verify_cert_error_string(verified);
  } else {
    failure_ = reason != nullptr ? reason : std::strerror(errno);
  }
  ERR_clear_error();
  return {Status::kFailed, 0};
}

Stream::Moved TlsStream::establish() {
  const Moved connected = socket_->establish();
  if (connected.status != Status::kDone) {
    establish_wants_ = Wants::kWrite;
    failure_ = socket_->failure();
    return connected;
  }
  if (established_) return {};
  ERR_clear_error();
  const int returned = SSL_do_handshake(ssl_);
  if (returned != 1) {
    const Moved moved = meaning_of(returned, establish_wants_);
    return moved.status == Status::kEnd ? Moved{Status::kFailed, 0} : moved;
  }
  established_ = true;
  return {};
}

Stream::Moved TlsStream::read(std::span<char> into) {
  ERR_clear_error();
  size_t got = 0;
  const int returned = SSL_read_ex(ssl_, into.data(), into.size(), &got);
  if (returned == 1) return {Status::kDone, got};
  return meaning_of(returned, read_wants_);
}

// One record a call: parts are joined up to its size, so that a head and a small body are one record.
Stream::Moved TlsStream::write(std::span<const iovec> parts) {
  std::string_view bytes(static_cast<const char*>(parts.front().iov_base), parts.front().iov_len);
  if (parts.size() > 1 && bytes.size() < kRecord) {
    joined_.clear();
    for (const iovec& part : parts) {
      joined_.append(static_cast<const char*>(part.iov_base),
                     std::min(part.iov_len, kRecord - joined_.size()));
    }
    bytes = joined_;
  }
  if (bytes.empty()) return {};
  ERR_clear_error();
  size_t put = 0;
  const int returned = SSL_write_ex(ssl_, bytes.data(), bytes.size(), &put);
  if (returned == 1) return {Status::kDone, put};
  return meaning_of(returned, write_wants_);
}

void TlsStream::await(Wants wants, SocketStream::Call call, std::shared_ptr<StreamOwner> owner) {
  using Socket = SocketStream::Socket;
  using Waits = SocketStream::Waits;
  if (wants == Wants::kRead) {
    socket_->await(Socket::wait_read, &Waits::reading, call, std::move(owner));
  } else {
    socket_->await(Socket::wait_write, &Waits::writing, call, std::move(owner));
  }
}

void TlsStream::await_established(std::shared_ptr<StreamOwner> owner) {
  await(establish_wants_, &StreamOwner::on_established, std::move(owner));
}

// What OpenSSL has decrypted already makes no socket readable.
void TlsStream::await_readable(std::shared_ptr<StreamOwner> owner) {
  if (SSL_has_pending(ssl_) == 1 && read_wants_ == Wants::kRead) {
    return socket_->call_soon(&StreamOwner::on_readable, std::move(owner));
  }
  await(read_wants_, &StreamOwner::on_readable, std::move(owner));
}

void TlsStream::await_writable(std::shared_ptr<StreamOwner> owner) {
  await(write_wants_, &StreamOwner::on_writable, std::move(owner));
}

void TlsStream::finish_writing() {
  ERR_clear_error();
  SSL_shutdown(ssl_);
  socket_->finish_writing();
}

}  // namespace rampart::proxy
