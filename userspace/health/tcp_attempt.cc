// SPDX-License-Identifier: Apache-2.0
// A tcp check: passed once the connection is accepted, and closed at once.
#include "health/attempt.h"

namespace rampart::health {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

class TcpAttempt final : public Attempt {
 public:
  TcpAttempt(asio::io_context& io, const ProbeTarget& target, Prober::Done done)
      : Attempt(io, target, std::move(done)), socket_(io) {}

 private:
  void begin() override {
    const asio::ip::tcp::endpoint endpoint(asio_address(target().address), target().port);
    step("connect");
    if (const error_code error = open_for_check(socket_, endpoint)) return fail_later(error);
    socket_.async_connect(endpoint, [self = hold(this)](error_code error) {
      if (self->ended()) return;
      if (error) return self->fail(error);
      self->end(ProbeEnd::Kind::kPassed, "connected");
    });
  }

  void close() override {
    error_code ignored;
    socket_.close(ignored);
  }

  asio::ip::tcp::socket socket_;
};

}  // namespace

std::shared_ptr<Attempt> make_tcp_attempt(asio::io_context& io, const ProbeTarget& target,
                                          Prober::Done done) {
  return std::make_shared<TcpAttempt>(io, target, std::move(done));
}

}  // namespace rampart::health
