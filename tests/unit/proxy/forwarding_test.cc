// SPDX-License-Identifier: Apache-2.0
#include "proxy/forwarding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/proxy/parsed.h"

namespace rampart::proxy {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Origin kStranger = {.address = "192.0.2.7"};
constexpr Origin kTrusted = {.address = "192.0.2.7", .tls = true, .trusted = true};

std::string sent(const std::string& text, const Origin& origin, const Framing& framing = {}) {
  const ParsedRequest request(text);
  std::string out;
  append_request(out, request.head, destination_of(request.head), origin, framing, "fresh");
  return out;
}

std::string sent_with(const std::string& fields, const Origin& origin = kStranger) {
  return sent("GET / HTTP/1.1\r\nHost: a\r\n" + fields, origin);
}

std::string answered(const std::string& text, const Framing& framing,
                     const ResponseExtras& extras = {}) {
  const ParsedResponse response(text);
  std::string out;
  append_response(out, response.head, framing, extras);
  return out;
}

TEST(RequestForwarding, IsThisByteForByte) {
  EXPECT_EQ(sent("GET /a?b HTTP/1.0\r\nHost: h:1\r\nAccept: */*\r\n", kStranger),
            "GET /a?b HTTP/1.1\r\nHost: h:1\r\nAccept: */*\r\nX-Forwarded-For: 192.0.2.7\r\n"
            "X-Forwarded-Proto: http\r\nX-Forwarded-Host: h:1\r\n"
            "Forwarded: for=192.0.2.7;proto=http;host=\"h:1\"\r\nX-Request-Id: fresh\r\n"
            "Via: 1.0 rampart\r\n\r\n");
}

TEST(RequestForwarding, LeavesFieldsOfTheConnectionBehind) {  // RFC 9110 §7.6.1
  const std::string out = sent_with(
      "Connection: close, X-Hop\r\nKeep-Alive: 5\r\nProxy-Connection: keep-alive\r\nTE: "
      "trailers\r\n"
      "Proxy-Authorization: x\r\nUpgrade: h2c\r\nX-Hop: 1\r\nx-hop: 2\r\nX-Kept: 3\r\n");
  for (const char* gone :
       {"Connection", "Keep-Alive", "TE:", "Proxy-Authorization", "Upgrade", "X-Hop", "x-hop"}) {
    EXPECT_THAT(out, Not(HasSubstr(gone)));
  }
  EXPECT_THAT(out, HasSubstr("X-Kept: 3\r\n"));
}

TEST(RequestForwarding, KeepsWhatARequestCannotDoWithoutWhateverConnectionNames) {
  const std::string out = sent_with(
      "Connection: host, content-type, authorization, keep-alive\r\nContent-Type: t\r\n"
      "Authorization: x\r\n");
  EXPECT_THAT(out, HasSubstr("Host: a\r\n"));
  EXPECT_THAT(out, HasSubstr("Content-Type: t\r\n"));
  EXPECT_THAT(out, HasSubstr("Authorization: x\r\n"));
}

TEST(RequestForwarding, FramesAnew) {
  const std::string chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n";
  EXPECT_THAT(sent(chunked, kStranger, {Framing::Kind::kChunked, 0}),
              HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  const std::string length = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0005\r\n";
  const std::string out = sent(length, kStranger, {Framing::Kind::kLength, 5});
  EXPECT_THAT(out, HasSubstr("\r\nContent-Length: 5\r\n"));
  EXPECT_THAT(out, Not(HasSubstr("0005")));
  EXPECT_THAT(sent(length, kStranger), Not(HasSubstr("Content-Length")));
}

TEST(RequestForwarding, BelievesNothingOfAStranger) {
  const std::string out = sent_with(
      "X-Forwarded-For: 203.0.113.1\r\nX-Forwarded-Proto: https\r\nx-forwarded-host: evil\r\n"
      "Forwarded: for=203.0.113.1\r\nX-Request-ID: theirs\r\n");
  EXPECT_THAT(out, HasSubstr("X-Forwarded-For: 192.0.2.7\r\n"));
  EXPECT_THAT(out, HasSubstr("X-Forwarded-Proto: http\r\n"));
  EXPECT_THAT(out, HasSubstr("X-Forwarded-Host: a\r\n"));
  EXPECT_THAT(out, HasSubstr("X-Request-Id: fresh\r\n"));
  EXPECT_THAT(out, Not(HasSubstr("203.0.113.1")));
  EXPECT_THAT(out, Not(HasSubstr("evil")));
}

TEST(RequestForwarding, GoesOnWithWhatATrustedPeerSays) {
  const std::string out = sent_with(
      "X-Forwarded-For: 203.0.113.1\r\nX-Forwarded-For: 203.0.113.2\r\nX-Forwarded-Proto: http\r\n"
      "X-Forwarded-Host: outer\r\nForwarded: for=203.0.113.1\r\nX-Request-ID: theirs\r\n",
      kTrusted);
  EXPECT_THAT(out, HasSubstr("X-Forwarded-For: 203.0.113.1, 203.0.113.2, 192.0.2.7\r\n"));
  EXPECT_THAT(out, HasSubstr("X-Forwarded-Proto: http\r\n"));
  EXPECT_THAT(out, HasSubstr("X-Forwarded-Host: outer\r\n"));
  EXPECT_THAT(out,
              HasSubstr("Forwarded: for=203.0.113.1, for=192.0.2.7;proto=https;host=\"a\"\r\n"));
  EXPECT_THAT(out, HasSubstr("X-Request-Id: theirs\r\n"));
  EXPECT_THAT(out, Not(HasSubstr("fresh")));
}

TEST(RequestForwarding, SaysForATrustedPeerWhatItDoesNotSay) {
  const std::string out = sent_with("", kTrusted);
  EXPECT_THAT(out, HasSubstr("X-Forwarded-Proto: https\r\n"));
  EXPECT_THAT(out, HasSubstr("X-Request-Id: fresh\r\n"));
}

TEST(RequestForwarding, QuotesAnIpv6Client) {  // RFC 7239 §6
  const std::string out = sent_with("", {.address = "2001:db8::1"});
  EXPECT_THAT(out, HasSubstr("X-Forwarded-For: 2001:db8::1\r\n"));
  EXPECT_THAT(out, HasSubstr("Forwarded: for=\"[2001:db8::1]\";proto=http"));
}

TEST(RequestForwarding, AddsItselfToVia) {
  EXPECT_THAT(sent_with("Via: 1.0 x\r\nVia: 1.1 y\r\n"),
              HasSubstr("Via: 1.0 x, 1.1 y, 1.1 rampart\r\n"));
}

TEST(RequestForwarding, AnswersExpectItself) {
  EXPECT_THAT(sent_with("Expect: 100-continue\r\n"), Not(HasSubstr("Expect")));
}

TEST(RequestForwarding, PassesAnUpgradeOn) {
  const std::string out = sent_with("Connection: upgrade\r\nUpgrade: websocket\r\n");
  EXPECT_THAT(out, HasSubstr("Connection: Upgrade\r\nUpgrade: websocket\r\n"));
}

TEST(RequestForwarding, MakesAnAbsoluteTargetAPath) {
  const std::string out = sent("GET http://b?q HTTP/1.1\r\nHost: a\r\n", kStranger);
  EXPECT_THAT(out, HasSubstr("GET /?q HTTP/1.1\r\nHost: b\r\n"));
}

TEST(ResponseForwarding, IsThisByteForByte) {
  EXPECT_EQ(
      answered(
          "HTTP/1.0 200 Fine\r\nConnection: X-Hop\r\nX-Hop: 1\r\nA: b\r\nContent-Length: 2\r\n",
          {Framing::Kind::kLength, 2}),
      "HTTP/1.1 200 Fine\r\nA: b\r\nVia: 1.0 rampart\r\nContent-Length: 2\r\n\r\n");
}

TEST(ResponseForwarding, FramesInEveryWay) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  EXPECT_THAT(answered(head, {Framing::Kind::kLength, 7}), HasSubstr("Content-Length: 7\r\n"));
  EXPECT_THAT(answered(head, {Framing::Kind::kChunked, 0}),
              HasSubstr("Transfer-Encoding: chunked\r\n"));
  for (const Framing::Kind kind : {Framing::Kind::kNone, Framing::Kind::kUntilEnd}) {
    EXPECT_THAT(answered(head, {kind, 0}), Not(HasSubstr("Content-Length")));
    EXPECT_THAT(answered(head, {kind, 0}), Not(HasSubstr("Transfer-Encoding")));
  }
}

TEST(ResponseForwarding, SaysWhetherTheConnectionGoesOn) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  EXPECT_THAT(answered(head, {}), Not(HasSubstr("Connection")));
  EXPECT_THAT(answered(head, {}, {.keep_alive = false}), HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answered(head, {}, {.client_minor = 0}), HasSubstr("Connection: keep-alive\r\n"));
}

TEST(ResponseForwarding, NamesTheNodeIfAsked) {
  EXPECT_THAT(answered("HTTP/1.1 200 OK\r\n", {}, {.upstream = "u/a:80"}),
              HasSubstr("X-Rampart-Upstream: u/a:80\r\n"));
}

TEST(ResponseForwarding, PassesInterimOnesOn) {
  const ParsedResponse hints("HTTP/1.1 103 Early Hints\r\nLink: x\r\nConnection: close\r\n");
  std::string out;
  append_interim(out, hints.head);
  EXPECT_EQ(out, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
  const ParsedResponse upgrade("HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n");
  out.clear();
  append_interim(out, upgrade.head);
  EXPECT_EQ(out, "HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
}

TEST(OwnAnswer, IsALineOfText) {
  std::string out;
  append_own(out, {.status = 503, .text = "no node"});
  EXPECT_EQ(out,
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
            "Content-Length: 8\r\nConnection: close\r\n\r\nno node\n");
}

TEST(OwnAnswer, HasNoBodyForHeadButItsLength) {
  std::string out;
  append_own(out, {.status = 404, .text = "x", .keep_alive = true, .head_only = true});
  EXPECT_THAT(out, HasSubstr("Content-Length: 2\r\n\r\n"));
  EXPECT_TRUE(out.ends_with("\r\n\r\n"));
}

TEST(OwnAnswer, TellsAnOldClientThatTheConnectionGoesOn) {
  std::string out;
  append_own(out, {.status = 404, .text = "x", .keep_alive = true, .client_minor = 0});
  EXPECT_THAT(out, HasSubstr("Connection: keep-alive\r\n"));
}

TEST(ClientOf, IsTheLastThatIsNotTrusted) {
  const auto trusted = [](std::string_view address) { return address.starts_with("10."); };
  const auto client = [&](const std::string& fields) {
    const ParsedRequest request("GET / HTTP/1.1\r\nHost: a\r\n" + fields);
    return client_of(request.head, "10.0.0.1", trusted);
  };
  EXPECT_EQ(client(""), "10.0.0.1");
  EXPECT_EQ(client("X-Forwarded-For: 203.0.113.1\r\n"), "203.0.113.1");
  EXPECT_EQ(client("X-Forwarded-For: 1.1.1.1, 203.0.113.1 , 10.0.0.2\r\n"), "203.0.113.1");
  EXPECT_EQ(client("X-Forwarded-For: 203.0.113.1\r\nX-Forwarded-For: 10.0.0.2,10.0.0.3\r\n"),
            "203.0.113.1");
  EXPECT_EQ(client("X-Forwarded-For: 10.0.0.9, 10.0.0.8\r\n"), "10.0.0.9");
  EXPECT_EQ(client("X-Forwarded-For: ,\r\n"), "10.0.0.1");
}

TEST(RequestId, IsTheTrustedOneOrAFreshOne) {
  const ParsedRequest request("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: theirs\r\n");
  EXPECT_EQ(request_id_of(request.head, kTrusted, "fresh"), "theirs");
  EXPECT_EQ(request_id_of(request.head, kStranger, "fresh"), "fresh");
}

}  // namespace
}  // namespace rampart::proxy
