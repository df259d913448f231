// SPDX-License-Identifier: Apache-2.0
// A TCP connection as a stream.
#ifndef RAMPART_USERSPACE_PROXY_SOCKET_STREAM_H_
#define RAMPART_USERSPACE_PROXY_SOCKET_STREAM_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>

#include "base/result.h"
#include "proxy/stream.h"

namespace rampart::proxy {

class SocketStream : public Stream {
 public:
  using Socket = boost::asio::ip::tcp::socket;

  // One that was accepted.
  explicit SocketStream(Socket socket);
  ~SocketStream() override { close(); }
  // One that begins to connect. An error if that cannot even begin.
  static Result<std::unique_ptr<SocketStream>> connect(boost::asio::io_context& io,
                                                       const boost::asio::ip::tcp::endpoint& to);

  Moved establish() override;
  Moved read(std::span<char> into) override;
  Moved write(std::span<const iovec> parts) override;
  void await_established(std::shared_ptr<StreamOwner> owner) override;
  void await_readable(std::shared_ptr<StreamOwner> owner) override;
  void await_writable(std::shared_ptr<StreamOwner> owner) override;
  void expect_silence() override;
  void finish_writing() override;
  void close() override;
  std::string failure() const override;

  int fd() { return socket_.native_handle(); }

 private:
  friend class TlsStream;
  using Wait = Socket::wait_type;
  // Which function of the owner to call.
  using Call = void (StreamOwner::*)();
  // What is awaited. Apart, because a call may be under way already when the stream goes.
  struct Waits {
    bool open = true, reading = false, writing = false;
  };
  // As if it had been awaited and come.
  void call_soon(Call call, std::shared_ptr<StreamOwner> owner);
  void await(Wait what, bool Waits::*awaited, Call call, std::shared_ptr<StreamOwner> owner);
  Moved failed(int error_number);

  Socket socket_;
  std::shared_ptr<Waits> waits_ = std::make_shared<Waits>();
  bool connecting_ = false;
  int error_number_ = 0;
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_SOCKET_STREAM_H_
