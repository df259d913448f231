// SPDX-License-Identifier: Apache-2.0
#include "proxy/hash_key.h"

#include <gtest/gtest.h>

#include "unit/proxy/parsed.h"

namespace rampart::proxy {
namespace {

std::string key(HashSource source, const std::string& name, const std::string& fields = "",
                const std::string& target = "/p/q?a=1&b=2&a=3&c") {
  const ParsedRequest request("GET " + target + " HTTP/1.1\r\nHost: H.example:80\r\n" + fields);
  Upstream upstream;
  upstream.hash_on = source;
  upstream.key = name;
  const Destination destination = destination_of(request.head);
  return hash_key(upstream, {.head = request.head,
                             .destination = destination,
                             .client = "192.0.2.7",
                             .client_port = 4000,
                             .tls = true});
}

std::string variable(const std::string& name, const std::string& fields = "") {
  return key(HashSource::kVariable, name, fields);
}

TEST(HashKey, IsTheClient) {  // P8
  EXPECT_EQ(key(HashSource::kClientAddress, ""), "192.0.2.7");
  EXPECT_EQ(key(HashSource::kClientAddressAndPort, ""), "192.0.2.7:4000");
}

TEST(HashKey, IsAHeader) {
  EXPECT_EQ(key(HashSource::kHeader, "x-user", "X-User: 7\r\n"), "7");
  EXPECT_EQ(key(HashSource::kHeader, "X_User", "x-user: 7\r\n"), "7");
}

TEST(HashKey, IsACookie) {
  EXPECT_EQ(key(HashSource::kCookie, "s", "Cookie: ss=0; s=1;t=2\r\nCookie: s=3\r\n"), "1");
  EXPECT_EQ(key(HashSource::kCookie, "t", "Cookie: a=1\r\nCookie: b=2;  t=x=y\r\n"), "x=y");
}

TEST(HashKey, IsAVariable) {
  EXPECT_EQ(variable("uri"), "/p/q");
  EXPECT_EQ(variable("request_uri"), "/p/q?a=1&b=2&a=3&c");
  EXPECT_EQ(variable("query_string"), "a=1&b=2&a=3&c");
  EXPECT_EQ(variable("arg_a"), "1");
  EXPECT_EQ(variable("arg_b"), "2");
  EXPECT_EQ(variable("host"), "h.example");
  EXPECT_EQ(variable("remote_addr"), "192.0.2.7");
  EXPECT_EQ(variable("remote_port"), "4000");
  EXPECT_EQ(variable("scheme"), "https");
  EXPECT_EQ(variable("request_method"), "GET");
  EXPECT_EQ(variable("http_x_user", "X-User: 7\r\n"), "7");
  EXPECT_EQ(variable("cookie_s", "Cookie: s=1\r\n"), "1");
}

TEST(HashKey, IsTheClientsAddressWhereWhatIsHashedIsMissing) {
  EXPECT_EQ(key(HashSource::kHeader, "x-user"), "192.0.2.7");
  EXPECT_EQ(key(HashSource::kHeader, "x-user", "X-User: \r\n"), "192.0.2.7");
  EXPECT_EQ(key(HashSource::kCookie, "s", "Cookie: t=1; s\r\n"), "192.0.2.7");
  EXPECT_EQ(variable("arg_c"), "192.0.2.7");
  EXPECT_EQ(variable("arg_"), "192.0.2.7");
  EXPECT_EQ(key(HashSource::kVariable, "query_string", "", "/p"), "192.0.2.7");
}

TEST(HashKey, KnowsItsVariables) {
  for (const char* name : {"uri", "host", "remote_addr", "arg_x", "http_x", "cookie_x"}) {
    EXPECT_TRUE(is_variable(name)) << name;
  }
  for (const char* name : {"", "args", "arg_", "http_", "cookie_", "URI"}) {
    EXPECT_FALSE(is_variable(name)) << name;
  }
}

}  // namespace
}  // namespace rampart::proxy
