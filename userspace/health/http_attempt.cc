// SPDX-License-Identifier: Apache-2.0
// An http or https check: a GET, judged by the status of the answer. Its body is not read.
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/version.h"
#include "health/attempt.h"

namespace rampart::health {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Tcp = asio::ip::tcp;
using control::ActiveCheck;

// Of an answer. nginx and Apache send no more than 8 KiB by default, either.
constexpr uint32_t kMaxHeader = 16384;

constexpr uint16_t kHttpPort = 80;
constexpr uint16_t kHttpsPort = 443;

std::string host_header(const ProbeTarget& target) {
  const ActiveCheck& check = *target.check;
  if (!check.host.empty()) return host_and_port(check.host, 0);
  const uint16_t usual = check.type == control::CheckType::kHttps ? kHttpsPort : kHttpPort;
  return host_and_port(target.address.to_string(), target.port == usual ? 0 : target.port);
}

http::request<http::empty_body> request_to(const ProbeTarget& target) {
  const ActiveCheck& check = *target.check;
  http::request<http::empty_body> request(http::verb::get, check.http_path, 11);
  request.set(http::field::host, host_header(target));
  request.set(http::field::user_agent, std::string("rampart-health/") + kVersion);
  request.set(http::field::connection, "close");
  for (const control::CheckHeader& header : check.req_headers) {
    const bool replaces = beast::iequals(header.name, "User-Agent");
    if (replaces) request.erase(http::field::user_agent);
    request.insert(header.name, header.value);
  }
  return request;
}

class HttpAttempt final : public Attempt {
 public:
  HttpAttempt(asio::io_context& io, asio::ssl::context* tls, const ProbeTarget& target,
              Prober::Done done)
      : Attempt(io, target, std::move(done)), socket_(io) {
    if (tls != nullptr) tls_.emplace(socket_, *tls);
  }

 private:
  using Parser = http::response_parser<http::empty_body>;

  void begin() override {
    const Tcp::endpoint endpoint(asio_address(target().address), target().port);
    step("connect");
    if (const error_code error = open_for_check(socket_, endpoint)) return fail_later(error);
    socket_.async_connect(endpoint, [self = hold(this)](error_code error) {
      if (self->ended()) return;
      if (error) return self->fail(error);
      if (self->tls_) return self->shake_hands();
      self->send(self->socket_);
    });
  }

  void close() override {
    error_code ignored;
    socket_.close(ignored);
  }

  void shake_hands() {
    step("TLS");
    prepare_tls(tls_->native_handle());
    tls_->async_handshake(asio::ssl::stream_base::client, [self = hold(this)](error_code error) {
      if (self->ended()) return;
      if (error) return self->fail_tls(error);
      self->send(*self->tls_);
    });
  }

  // The name that the certificate has to be of, an address too, and a name for SNI, which takes no
  // addresses (RFC 6066).
  void prepare_tls(SSL* tls) {
    const std::string name = check().host.empty() ? target().address.to_string() : check().host;
    const bool is_address = IpAddress::parse(name).has_value();
    if (!is_address) SSL_set_tlsext_host_name(tls, name.c_str());
    SSL_set_verify(tls, check().https_verify_certificate ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
                   nullptr);
    if (!check().https_verify_certificate) return;
    X509_VERIFY_PARAM* wanted = SSL_get0_param(tls);
    if (is_address) {
      X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str());
    } else {
      X509_VERIFY_PARAM_set1_host(wanted, name.c_str(), name.size());
    }
  }

  void fail_tls(error_code error) {
    const long verdict = SSL_get_verify_result(tls_->native_handle());
    const bool refused = check().https_verify_certificate && verdict != X509_V_OK;
    fail(error,
         refused ? std::string("certificate: ") + X509_verify_cert_error_string(verdict)
                 : error.message(),
         ProbeEnd::Kind::kTcpFailed);
  }

  template <typename Stream>
  void send(Stream& stream) {
    step("request");
    request_ = request_to(target());
    http::async_write(stream, request_, [self = hold(this), &stream](error_code error, size_t) {
      if (self->ended()) return;
      if (error) return self->fail(error);
      self->receive(stream);
    });
  }

  template <typename Stream>
  void receive(Stream& stream) {
    step("answer");
    parser_.emplace();
    parser_->header_limit(kMaxHeader);
    parser_->skip(true);  // no body, however long it says to be
    http::async_read_header(stream, buffer_, *parser_,
                            [self = hold(this), &stream](error_code error, size_t) {
                              if (self->ended()) return;
                              if (error) return self->fail_answer(error);
                              // 100 and 103 announce the answer.
                              const unsigned status = self->parser_->get().result_int();
                              if (status < 200) return self->receive(stream);
                              self->judge(status);
                            });
  }

  void judge(unsigned status) {
    const std::string reason = "http status " + std::to_string(status);
    const auto number = static_cast<uint16_t>(status);
    if (check().healthy.http_statuses.contains(number)) return end(ProbeEnd::Kind::kPassed, reason);
    const bool is_bad = check().unhealthy.http_statuses.contains(number);
    end(is_bad ? ProbeEnd::Kind::kHttpFailed : ProbeEnd::Kind::kUnjudged, reason);
  }

  // Nothing, or not the whole of it, is the connection's failure; anything else than HTTP is HTTP's.
  void fail_answer(error_code error) {
    const bool is_cut = error == http::error::end_of_stream ||
                        error == http::error::partial_message || error == asio::error::eof ||
                        error == asio::ssl::error::stream_truncated;
    if (is_cut) return fail(error, "closed before it was whole", ProbeEnd::Kind::kTcpFailed);
    const auto& of_http = http::make_error_code(http::error::end_of_stream).category();
    const bool is_no_http = error.category() == of_http;
    fail(error, is_no_http ? "not understood: " + error.message() : error.message(),
         is_no_http ? ProbeEnd::Kind::kHttpFailed : ProbeEnd::Kind::kTcpFailed);
  }

  Tcp::socket socket_;
  std::optional<asio::ssl::stream<Tcp::socket&>> tls_;
  http::request<http::empty_body> request_;
  beast::flat_buffer buffer_{kMaxHeader};
  std::optional<Parser> parser_;
};

}  // namespace

std::shared_ptr<Attempt> make_http_attempt(asio::io_context& io, asio::ssl::context* tls,
                                           const ProbeTarget& target, Prober::Done done) {
  return std::make_shared<HttpAttempt>(io, tls, target, std::move(done));
}

}  // namespace rampart::health
