// SPDX-License-Identifier: Apache-2.0
#include "proxy/request_rules.h"

#include <gtest/gtest.h>

#include "unit/proxy/parsed.h"

namespace rampart::proxy {
namespace {

// The status, -1 where the parser refuses already.
int refusal(const std::string& text) {
  const ParsedRequest request(text);
  return request.error == ParseError::kNone ? refusal_of(request.head) : -1;
}

int refusal_of_host(const std::string& host) {
  return refusal("GET / HTTP/1.1\r\nHost: " + host + "\r\n");
}

int refusal_of_target(const std::string& target) {
  return refusal("GET " + target + " HTTP/1.1\r\nHost: a\r\n");
}

int refusal_with(const std::string& fields) {
  return refusal("POST / HTTP/1.1\r\nHost: a\r\n" + fields);
}

TEST(RequestRules, WantOneHost) {  // RFC 9112 §3.2
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\nHost: a\r\n"), 0);
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\n"), 400);
  EXPECT_EQ(refusal("GET http://a/ HTTP/1.1\r\n"), 400);
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n"), 400);
  EXPECT_EQ(refusal("GET / HTTP/1.0\r\n"), 0);
  EXPECT_EQ(refusal("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n"), 400);
}

TEST(RequestRules, WantAHostThatIsOne) {
  for (const char* host : {"", "a", "A.example:80", "192.0.2.1", "[::1]", "[::1]:8080", "a:", "a_b",
                           "a%20b", "xn--e1a"}) {
    EXPECT_EQ(refusal_of_host(host), 0) << host;
  }
  for (const char* host :
       {"a/b", "a@b", "a b", "a\\b", "\"a\"", "a?b", "a#b", "\xc3\xa4", "[::1", "::1]", "a:b",
        "a:1:2", "[::1]x", "[::1]:x", "a[b]", "a%2", "a%zz", "[/]", "a:99999999"}) {
    EXPECT_EQ(refusal_of_host(host), 400) << host;
  }
}

TEST(RequestRules, WantATargetThatIsOne) {
  for (const char* target :
       {"/", "/a?b=c", "//", "http://b", "HTTP://b:80/", "https://b?c", "/a:b@c"}) {
    EXPECT_EQ(refusal_of_target(target), 0) << target;
  }
  for (const char* target :
       {"a", "*", "?a", "/#a", "/a#", "http://", "http:///a", "http:/a", "ftp://a/", "http://u@a/",
        "http://a#b", "http://[::1/", "http://a:b/", "a:80", "http://:80/"}) {
    EXPECT_EQ(refusal_of_target(target), 400) << target;
  }
  EXPECT_EQ(refusal("OPTIONS * HTTP/1.1\r\nHost: a\r\n"), 0);
}

TEST(RequestRules, DoNotServeConnect) {
  EXPECT_EQ(refusal("CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n"), 501);
}

TEST(RequestRules, WantFramingThatIsNotInDoubt) {  // RFC 9112 §6.3
  EXPECT_EQ(refusal_with("Content-Length: 5\r\n"), 0);
  EXPECT_EQ(refusal_with("Transfer-Encoding: Chunked\r\n"), 0);
  for (const char* fields :
       {"Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length: 5, 5\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: identity\r\n", "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, gzip\r\n", "Transfer-Encoding: \r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", "Content-Length: \r\n",
        "Content-Length: +5\r\n", "Content-Length: -5\r\n", "Content-Length: 0x5\r\n",
        "Content-Length: 5 5\r\n", "Content-Length: 18446744073709551616\r\n"}) {
    const int status = refusal_with(fields);
    EXPECT_TRUE(status == 400 || status == -1) << fields << status;
  }
  EXPECT_EQ(refusal("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n"), 400);
}

TEST(RequestRules, DoNotKnowOtherCodings) {
  EXPECT_EQ(refusal_with("Transfer-Encoding: gzip, chunked\r\n"), 501);
}

TEST(RequestRules, KnowOneExpectation) {
  EXPECT_EQ(refusal_with("Expect: 100-Continue\r\nContent-Length: 1\r\n"), 0);
  EXPECT_EQ(refusal_with("Expect: tea\r\n"), 417);
}

TEST(Destination, IsOfHostAndTarget) {
  const ParsedRequest request("GET /a?b HTTP/1.1\r\nHost: h:1\r\n");
  EXPECT_EQ(destination_of(request.head).host, "h:1");
  EXPECT_EQ(destination_of(request.head).path, "/a?b");
  const ParsedRequest old("GET / HTTP/1.0\r\n");
  EXPECT_EQ(destination_of(old.head).host, "");
}

TEST(Destination, OfAnAbsoluteTargetWinsOverHost) {
  const ParsedRequest whole("GET HTTP://b:2/x HTTP/1.1\r\nHost: a\r\n");
  EXPECT_EQ(destination_of(whole.head).host, "b:2");
  EXPECT_EQ(destination_of(whole.head).path, "/x");
  const ParsedRequest bare("GET http://b HTTP/1.1\r\nHost: a\r\n");
  EXPECT_EQ(destination_of(bare.head).path, "/");
  const ParsedRequest query("GET https://b?q HTTP/1.1\r\nHost: a\r\n");
  EXPECT_EQ(destination_of(query.head).host, "b");
  EXPECT_EQ(destination_of(query.head).path, "?q");
}

TEST(HostKey, IsTheNameInLowerCaseWithoutPortAndLastDot) {
  EXPECT_EQ(host_key("Example.ORG:80"), "example.org");
  EXPECT_EQ(host_key("example.org."), "example.org");
  EXPECT_EQ(host_key("example.org.:80"), "example.org");
  EXPECT_EQ(host_key("[2001:DB8::1]:80"), "[2001:db8::1]");
  EXPECT_EQ(host_key("[::1]"), "[::1]");
  EXPECT_EQ(host_key(""), "");
  EXPECT_EQ(host_key(":80"), "");
}

TEST(PathKey, IsThePathWithoutItsQuery) {
  EXPECT_EQ(path_key("/a?b/../c"), "/a");
  EXPECT_EQ(path_key("?q"), "/");
  EXPECT_EQ(path_key("*"), "*");
  EXPECT_EQ(path_key("/a//b/"), "/a//b/");
}

TEST(PathKey, HasNoDotSegments) {  // RFC 3986 §5.2.4
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"/a/./b", "/a/b"},
      {"/a/../b", "/b"},
      {"/../b", "/b"},
      {"/..", "/"},
      {"/.", "/"},
      {"/a/.", "/a/"},
      {"/a/b/..", "/a/"},
      {"/a/b/../..", "/"},
      {"/a/../../../b", "/b"},
      {"/.a/..b/c.", "/.a/..b/c."},
      {"/a/.../b", "/a/.../b"},
      {"//../a", "/a"},
  };
  for (const auto& [path, key] : cases) EXPECT_EQ(path_key(path), key) << path;
}

TEST(PathKey, DecodesWhatNeedNotBeEncodedBeforeItLooksForDots) {
  EXPECT_EQ(path_key("/%61dmin"), "/admin");
  EXPECT_EQ(path_key("/%7Euser"), "/~user");
  EXPECT_EQ(path_key("/a/%2e%2E/b"), "/b");
  EXPECT_EQ(path_key("/a/.%2e/b"), "/b");
  EXPECT_EQ(path_key("/a/%2e/b"), "/a/b");
  EXPECT_EQ(path_key("/a%2Fb"), "/a%2Fb");
  EXPECT_EQ(path_key("/%252e%252e/b"), "/%252e%252e/b");
  EXPECT_EQ(path_key("/%2"), "/%2");
  EXPECT_EQ(path_key("/%"), "/%");
  EXPECT_EQ(path_key("/%zz"), "/%zz");
}

TEST(Method, SaysWhetherTwiceIsOnce) {  // RFC 9110 §9.2.2
  for (const Method method :
       {Method::get, Method::head, Method::put, Method::delete_, Method::options, Method::trace}) {
    EXPECT_TRUE(is_idempotent(method));
  }
  EXPECT_FALSE(is_idempotent(Method::post));
  EXPECT_FALSE(is_idempotent(Method::patch));
  EXPECT_FALSE(is_idempotent(Method::unknown));
}

}  // namespace
}  // namespace rampart::proxy
