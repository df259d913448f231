// SPDX-License-Identifier: Apache-2.0
// TLS on both sides, by OpenSSL: contexts that workers share, and streams in them. TLS 1.2 and 1.3.
//
// A context is immutable once made, and SSL_CTX is safe to share. A reload makes new ones: a connection
// keeps that with which it began.
#ifndef RAMPART_USERSPACE_PROXY_TLS_H_
#define RAMPART_USERSPACE_PROXY_TLS_H_

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "proxy/socket_stream.h"
#include "proxy/stream.h"

struct ssl_ctx_st;

namespace rampart::proxy {

struct Certificate {
  std::string cert_file;  // PEM: the certificate, and what leads to its root
  std::string key_file;
};

struct FreeContext {
  void operator()(ssl_ctx_st* context) const;
};
using Context = std::unique_ptr<ssl_ctx_st, FreeContext>;

// What clients are spoken to with.
class TlsServer {
 public:
  // The certificate is the first that is for the name asked for (SNI), else the first. Sessions are
  // resumed by tickets, also those given out by `former`, which may be null. An error names the file.
  // REQUIRES: at least one certificate.
  static Result<std::shared_ptr<const TlsServer>> make(const std::vector<Certificate>& certificates,
                                                       const TlsServer* former);

  std::unique_ptr<Stream> accept(std::unique_ptr<SocketStream> stream) const;

 private:
  TlsServer() = default;
  std::vector<Context> contexts_;  // one a certificate
};

// What nodes are spoken to with.
class TlsClient {
 public:
  enum class Verify { kYes, kNo };
  // `ca_file`: PEM; empty: what the system trusts.
  static Result<std::shared_ptr<const TlsClient>> make(Verify verify, const std::string& ca_file);

  // The node's certificate must be for `host`, a name or an address.
  std::unique_ptr<Stream> connect(std::unique_ptr<SocketStream> stream,
                                  const std::string& host) const;

 private:
  TlsClient() = default;
  Verify verify_ = Verify::kYes;
  Context context_;
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_TLS_H_
