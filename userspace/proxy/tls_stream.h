// SPDX-License-Identifier: Apache-2.0
// TLS over a socket. OpenSSL reads and writes the socket itself, so that nothing is copied on the way;
// it may want to write in order to read, and the other way round: what is awaited is what it wants.
#ifndef RAMPART_USERSPACE_PROXY_TLS_STREAM_H_
#define RAMPART_USERSPACE_PROXY_TLS_STREAM_H_

#include <memory>
#include <string>

#include "proxy/socket_stream.h"
#include "proxy/stream.h"

struct ssl_st;

namespace rampart::proxy {

class TlsStream final : public Stream {
 public:
  // Owns `ssl`, which knows which side it is.
  TlsStream(std::unique_ptr<SocketStream> socket, ssl_st* ssl);
  ~TlsStream() override;

  Moved establish() override;
  Moved read(std::span<char> into) override;
  Moved write(std::span<const iovec> parts) override;
  void await_established(std::shared_ptr<StreamOwner> owner) override;
  void await_readable(std::shared_ptr<StreamOwner> owner) override;
  void await_writable(std::shared_ptr<StreamOwner> owner) override;
  void expect_silence() override { socket_->expect_silence(); }
  void finish_writing() override;
  void close() override { socket_->close(); }
  std::string failure() const override { return failure_; }

 private:
  enum class Wants { kRead, kWrite };
  // What a call of OpenSSL came to, if it moved nothing; sets what is wanted.
  Moved meaning_of(int returned, Wants& wants);
  void await(Wants wants, SocketStream::Call call, std::shared_ptr<StreamOwner> owner);

  std::unique_ptr<SocketStream> socket_;
  ssl_st* ssl_;
  bool established_ = false;
  Wants establish_wants_ = Wants::kRead;
  Wants read_wants_ = Wants::kRead;
  Wants write_wants_ = Wants::kWrite;
  std::string joined_;  // small parts that go out as one record
  std::string failure_;
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_TLS_STREAM_H_
