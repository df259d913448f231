// SPDX-License-Identifier: Apache-2.0
#include "proxy/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/ip.h"
#include "proxy/tls_stream.h"

namespace rampart::proxy {
namespace {

Error tls_error(const std::string& step) {
  const unsigned long number = ERR_peek_last_error();
  const char* reason = ERR_reason_error_string(number);
  ERR_clear_error();
  return Error{Code::kFailed, step + ": " + (reason == nullptr ? "failed" : reason)};
}

Context new_context(const SSL_METHOD* method) {
  Context context(SSL_CTX_new(method));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  return context;
}

using Contexts = std::vector<Context>;

// The first that is for the name; the first of all for others, and without a name.
int choose_certificate(SSL* ssl, int*, void* argument) {
  const auto& contexts = *static_cast<const Contexts*>(argument);
  const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (name == nullptr) return SSL_TLSEXT_ERR_OK;
  for (const Context& context : contexts) {
    if (X509_check_host(SSL_CTX_get0_certificate(context.get()), name, 0, 0, nullptr) == 1) {
      SSL_set_SSL_CTX(ssl, context.get());
      break;
    }
  }
  return SSL_TLSEXT_ERR_OK;
}

constexpr unsigned char kProtocols[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned int offered_size, void*) {
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, size, kProtocols, sizeof kProtocols, offered, offered_size);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

Result<Context> context_of(const Certificate& certificate) {
  Context context = new_context(TLS_server_method());
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.cert_file.c_str()) != 1) {
    return tls_error(certificate.cert_file);
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), certificate.key_file.c_str(), SSL_FILETYPE_PEM) !=
      1) {
    return tls_error(certificate.key_file);
  }
  if (SSL_CTX_check_private_key(context.get()) != 1) {
    return tls_error(certificate.key_file + ": not the key of " + certificate.cert_file);
  }
  static constexpr std::string_view kSessions = "rampart";
  SSL_CTX_set_session_id_context(context.get(),
                                 reinterpret_cast<const unsigned char*>(kSessions.data()),
                                 static_cast<unsigned>(kSessions.size()));
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);  // tickets need none
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  return context;
}

// OpenSSL's ticket keys: a name, and two keys.
void share_ticket_keys(SSL_CTX* from, SSL_CTX* to) {
  std::array<unsigned char, 80> keys;
  if (SSL_CTX_get_tlsext_ticket_keys(from, keys.data(), keys.size()) == 1) {
    SSL_CTX_set_tlsext_ticket_keys(to, keys.data(), keys.size());
  }
}

}  // namespace

void FreeContext::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

Result<std::shared_ptr<const TlsServer>> TlsServer::make(
    const std::vector<Certificate>& certificates, const TlsServer* former) {
  std::shared_ptr<TlsServer> server(new TlsServer());
  for (const Certificate& certificate : certificates) {
    auto context = context_of(certificate);
    if (!context) return context.error();
    server->contexts_.push_back(std::move(*context));
  }
  SSL_CTX* const first = server->contexts_.front().get();
  SSL_CTX_set_tlsext_servername_callback(first, choose_certificate);
  SSL_CTX_set_tlsext_servername_arg(first, &server->contexts_);
  if (former != nullptr) share_ticket_keys(former->contexts_.front().get(), first);
  return std::shared_ptr<const TlsServer>(std::move(server));
}

std::unique_ptr<Stream> TlsServer::accept(std::unique_ptr<SocketStream> stream) const {
  SSL* const ssl = SSL_new(contexts_.front().get());
  SSL_set_accept_state(ssl);
  return std::make_unique<TlsStream>(std::move(stream), ssl);
}

Result<std::shared_ptr<const TlsClient>> TlsClient::make(Verify verify,
                                                         const std::string& ca_file) {
  std::shared_ptr<TlsClient> client(new TlsClient());
  client->verify_ = verify;
  client->context_ = new_context(TLS_client_method());
  SSL_CTX* const context = client->context_.get();
  SSL_CTX_set_alpn_protos(context, kProtocols, sizeof kProtocols);
  if (verify == Verify::kNo) return std::shared_ptr<const TlsClient>(std::move(client));
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  const int loaded = ca_file.empty()
                         ? SSL_CTX_set_default_verify_paths(context)
                         : SSL_CTX_load_verify_locations(context, ca_file.c_str(), nullptr);
  if (loaded != 1) return tls_error(ca_file.empty() ? "the system's certificates" : ca_file);
  return std::shared_ptr<const TlsClient>(std::move(client));
}

std::unique_ptr<Stream> TlsClient::connect(std::unique_ptr<SocketStream> stream,
                                           const std::string& host) const {
  SSL* const ssl = SSL_new(context_.get());
  SSL_set_connect_state(ssl);
  const bool is_address = IpAddress::parse(host).has_value();
  if (!is_address) SSL_set_tlsext_host_name(ssl, host.c_str());
  if (verify_ == Verify::kYes && is_address) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str());
  } else if (verify_ == Verify::kYes) {
    SSL_set1_host(ssl, host.c_str());
  }
  return std::make_unique<TlsStream>(std::move(stream), ssl);
}

}  // namespace rampart::proxy
