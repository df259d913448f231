// SPDX-License-Identifier: Apache-2.0
#include "health/network_prober.h"

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "health/attempt.h"

namespace rampart::health {
namespace {

namespace asio = boost::asio;

class NetworkProbe final : public Probe {
 public:
  explicit NetworkProbe(std::shared_ptr<Attempt> attempt) : attempt_(std::move(attempt)) {}
  ~NetworkProbe() override { attempt_->give_up(); }

 private:
  std::shared_ptr<Attempt> attempt_;
};

class NetworkProber final : public Prober {
 public:
  explicit NetworkProber(asio::io_context& io) : io_(io) {}

  std::unique_ptr<Probe> start(const ProbeTarget& target, Done done) override {
    std::shared_ptr<Attempt> attempt = make_attempt(target, std::move(done));
    attempt->run();
    return std::make_unique<NetworkProbe>(std::move(attempt));
  }

 private:
  std::shared_ptr<Attempt> make_attempt(const ProbeTarget& target, Done done) {
    switch (target.check->type) {
      case control::CheckType::kTcp:
        return make_tcp_attempt(io_, target, std::move(done));
      case control::CheckType::kUdp:
        return make_udp_attempt(io_, target, std::move(done));
      case control::CheckType::kHttps:
        return make_http_attempt(io_, &tls(), target, std::move(done));
      case control::CheckType::kHttp:
        break;
    }
    return make_http_attempt(io_, nullptr, target, std::move(done));
  }

  // Made when it is first needed: reading some hundred authorities is work that most need not do.
  asio::ssl::context& tls() {
    if (!tls_) {
      tls_.emplace(asio::ssl::context::tls_client);
      boost::system::error_code none_found;
      tls_->set_default_verify_paths(none_found);  // then no certificate holds, and checks say so
    }
    return *tls_;
  }

  asio::io_context& io_;
  std::optional<asio::ssl::context> tls_;
};

}  // namespace

std::unique_ptr<Prober> make_network_prober(asio::io_context& io) {
  return std::make_unique<NetworkProber>(io);
}

}  // namespace rampart::health
