// SPDX-License-Identifier: Apache-2.0
// A udp check: a datagram out, and the first one that comes back decides. The socket is connected, so
// that nobody else's is taken for it and an ICMP error is heard of.
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/udp.hpp>

#include "health/attempt.h"

namespace rampart::health {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

class UdpAttempt final : public Attempt {
 public:
  UdpAttempt(asio::io_context& io, const ProbeTarget& target, Prober::Done done)
      : Attempt(io, target, std::move(done)), socket_(io) {}

 private:
  void begin() override {
    const asio::ip::udp::endpoint endpoint(asio_address(target().address), target().port);
    error_code error;
    step("send");
    socket_.open(endpoint.protocol(), error);
    if (!error) socket_.connect(endpoint, error);
    if (!error) socket_.non_blocking(true, error);
    if (!error) socket_.send(asio::buffer(check().payload), 0, error);
    if (error) return fail_later(error);
    receive();
  }

  // What is longer than the prefix is cut off by the kernel.
  void receive() {
    step("answer");
    answer_.resize(std::max<size_t>(check().expected_prefix.size(), 1));
    socket_.async_receive(asio::buffer(answer_),
                          [self = hold(this)](error_code error, size_t size) {
                            if (self->ended()) return;
                            if (error) return self->fail(error);
                            self->judge(size);
                          });
  }

  void judge(size_t size) {
    answer_.resize(size);
    if (answer_.starts_with(check().expected_prefix))
      return end(ProbeEnd::Kind::kPassed, "answered");
    end(ProbeEnd::Kind::kTcpFailed, "answer: does not begin with expected_prefix");
  }

  void close() override {
    error_code ignored;
    socket_.close(ignored);
  }

  asio::ip::udp::socket socket_;
  std::string answer_;
};

}  // namespace

std::shared_ptr<Attempt> make_udp_attempt(asio::io_context& io, const ProbeTarget& target,
                                          Prober::Done done) {
  return std::make_shared<UdpAttempt>(io, target, std::move(done));
}

}  // namespace rampart::health
