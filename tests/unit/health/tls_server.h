// SPDX-License-Identifier: Apache-2.0
// A TLS server with a certificate of its own making.
#ifndef RAMPART_TESTS_UNIT_HEALTH_TLS_SERVER_H_
#define RAMPART_TESTS_UNIT_HEALTH_TLS_SERVER_H_

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <mutex>
#include <string>

#include "unit/health/servers.h"

namespace rampart::health {

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;

// Self-signed, of `name`: "DNS:shop.example", "IP:127.0.0.1".
class Signed {
 public:
  explicit Signed(const std::string& name)
      : key_(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")), certificate_(X509_new()) {
    X509* const made = certificate_.get();
    X509_set_version(made, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made), 3600);
    const auto* const common = reinterpret_cast<const unsigned char*>("test");
    X509_NAME* const subject = X509_get_subject_name(made);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, common, -1, -1, 0);
    X509_set_issuer_name(made, subject);
    X509_set_pubkey(made, key_.get());
    const std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>> names(
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, name.c_str()));
    X509_add_ext(made, names.get(), -1);
    RP_CHECK(X509_sign(made, key_.get(), EVP_sha256()) > 0);
  }

  EVP_PKEY* key() const { return key_.get(); }
  X509* certificate() const { return certificate_.get(); }
  // As an authority is trusted: in a file that SSL_CERT_FILE can name.
  void write(const std::string& path) const {
    FILE* const file = fopen(path.c_str(), "w");
    RP_CHECK(file != nullptr && PEM_write_X509(file, certificate_.get()) == 1);
    fclose(file);
  }

 private:
  Key key_;
  Certificate certificate_;
};

class TlsServer {
 public:
  // Answers every request by `answer`.
  TlsServer(const Signed& identity, std::string answer)
      : context_(SSL_CTX_new(TLS_server_method())), answer_(std::move(answer)) {
    SSL_CTX_use_certificate(context_.get(), identity.certificate());
    SSL_CTX_use_PrivateKey(context_.get(), identity.key());
    server_ = std::make_unique<TcpServer>([this](const Fd& connection) { serve(connection); });
  }
  uint16_t port() const { return server_->port(); }
  // The name that the last client asked for; empty if for none.
  std::string asked_for() {
    const std::lock_guard<std::mutex> guard(lock_);
    return asked_for_;
  }

 private:
  void serve(const Fd& connection) {
    const std::unique_ptr<SSL, Freed<SSL_free>> tls(SSL_new(context_.get()));
    SSL_set_fd(tls.get(), connection.get());
    if (SSL_accept(tls.get()) != 1) return;
    {
      const char* const name = SSL_get_servername(tls.get(), TLSEXT_NAMETYPE_host_name);
      const std::lock_guard<std::mutex> guard(lock_);
      asked_for_ = name == nullptr ? "" : name;
    }
    char buffer[512];
    SSL_read(tls.get(), buffer, sizeof(buffer));
    if (!answer_.empty()) SSL_write(tls.get(), answer_.data(), static_cast<int>(answer_.size()));
    if (!answer_.empty()) SSL_read(tls.get(), buffer, sizeof(buffer));  // until the peer closes
  }

  std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>> context_;
  std::string answer_;
  std::mutex lock_;
  std::string asked_for_;
  std::unique_ptr<TcpServer> server_;
};

}  // namespace rampart::health

#endif  // RAMPART_TESTS_UNIT_HEALTH_TLS_SERVER_H_
