// SPDX-License-Identifier: Apache-2.0
// Every way that TLS lets an https check end (H1).
#include <gmock/gmock.h>
#include <signal.h>

#include <cstdlib>

#include "support/temp_folder.h"
#include "unit/health/tls_server.h"

namespace rampart::health {
namespace {

using control::ActiveCheck;
using control::CheckType;
using Kind = ProbeEnd::Kind;
using testing::HasSubstr;

constexpr char kOk[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

class HttpsProbe : public testing::Test {
 protected:
  // The servers write to connections that were reset.
  HttpsProbe() { signal(SIGPIPE, SIG_IGN); }
  ~HttpsProbe() override { unsetenv("SSL_CERT_FILE"); }

  void trust(const Signed& authority) {
    const std::string path = folder_.path() / "authority.pem";
    authority.write(path);
    setenv("SSL_CERT_FILE", path.c_str(), 1);
  }
  static ActiveCheck https(const std::string& host = "", Duration timeout = kLong) {
    ActiveCheck check = check_of(CheckType::kHttps, timeout);
    check.host = host;
    return check;
  }

  test::TempFolder folder_;
};

TEST_F(HttpsProbe, PassesWhereATrustedCertificateIsOfTheHost) {
  const Signed shop("DNS:shop.example");
  trust(shop);
  TlsServer server(shop, kOk);
  const ProbeEnd end = probe(https("shop.example"), server.port());
  EXPECT_EQ(end.kind, Kind::kPassed) << end.reason;
  EXPECT_EQ(end.reason, "http status 200");
  EXPECT_EQ(server.asked_for(), "shop.example");
}

TEST_F(HttpsProbe, WithoutAHostTheCertificateHasToBeOfTheAddress) {
  const Signed node("IP:127.0.0.1");
  trust(node);
  TlsServer server(node, kOk);
  EXPECT_EQ(probe(https(), server.port()).kind, Kind::kPassed);
  EXPECT_EQ(server.asked_for(), "");  // RFC 6066: names only
}

TEST_F(HttpsProbe, AnotherNameIsATcpFailure) {
  const Signed shop("DNS:shop.example");
  trust(shop);
  const TlsServer server(shop, kOk);
  const ProbeEnd named = probe(https("stock.example"), server.port());
  EXPECT_EQ(named.kind, Kind::kTcpFailed);
  EXPECT_THAT(named.reason, HasSubstr("TLS: certificate: hostname mismatch"));
  const ProbeEnd by_address = probe(https(), server.port());
  EXPECT_EQ(by_address.kind, Kind::kTcpFailed);
  EXPECT_THAT(by_address.reason, HasSubstr("TLS: certificate: IP address mismatch"));
}

TEST_F(HttpsProbe, ACertificateThatNobodySignedIsATcpFailure) {
  trust(Signed("DNS:shop.example"));
  const TlsServer server(Signed("DNS:shop.example"), kOk);
  const ProbeEnd end = probe(https("shop.example"), server.port());
  EXPECT_EQ(end.kind, Kind::kTcpFailed);
  EXPECT_THAT(end.reason, HasSubstr("TLS: certificate: self-signed certificate"));
}

TEST_F(HttpsProbe, AnyCertificateWillDoWhereItIsNotVerified) {
  const TlsServer server(Signed("DNS:other.example"), kOk);
  ActiveCheck check = https("shop.example");
  check.https_verify_certificate = false;
  EXPECT_EQ(probe(check, server.port()).kind, Kind::kPassed);
}

TEST_F(HttpsProbe, AStatusIsJudgedAsThatOfHttp) {
  const TlsServer server(Signed("DNS:a"), "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
  ActiveCheck check = https();
  check.https_verify_certificate = false;
  EXPECT_EQ(probe(check, server.port()).kind, Kind::kHttpFailed);
}

TEST_F(HttpsProbe, AServerWithoutTlsIsATcpFailure) {
  const TcpServer server([](const Fd& connection) {
    write_all(connection, "HTTP/1.1 400 Bad Request\r\n\r\n");
    hold_open(connection);
  });
  const ProbeEnd end = probe(https(), server.port());
  EXPECT_EQ(end.kind, Kind::kTcpFailed);
  EXPECT_THAT(end.reason, HasSubstr("TLS: "));
}

TEST_F(HttpsProbe, AConnectionThatClosesInTheMiddleIsATcpFailure) {
  const TcpServer hangs_up([](const Fd&) {});
  EXPECT_EQ(probe(https(), hangs_up.port()).kind, Kind::kTcpFailed);
  const TlsServer says_nothing(Signed("DNS:a"), "");
  ActiveCheck check = https();
  check.https_verify_certificate = false;
  const ProbeEnd end = probe(check, says_nothing.port());
  EXPECT_EQ(end.kind, Kind::kTcpFailed);
  EXPECT_THAT(end.reason, HasSubstr("answer: "));
}

TEST_F(HttpsProbe, AHandshakeThatNobodyAnswersIsATimeout) {
  const TcpServer server(hold_open);
  const ProbeEnd end = probe(https("", kShort), server.port());
  EXPECT_EQ(end.kind, Kind::kTimedOut);
  EXPECT_THAT(end.reason, testing::EndsWith(": timed out"));
}

}  // namespace
}  // namespace rampart::health
