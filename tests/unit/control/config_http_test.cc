// SPDX-License-Identifier: Apache-2.0
#include "control/config_http.h"

#include "unit/control/config_cases.h"

namespace rampart::control {
namespace {

Mistake wrong(const std::string& line, int column, const std::string& path,
              const std::string& text) {
  return {"version: 1\n" + line, 2, column, path, text};
}

TEST(ConfigHttp, IsCheckedByEveryProgramThatReadsTheFile) {
  expect_mistakes({
      wrong("http: { workers: 2 }", 7, "http.listeners", "missing; required: a list"),
      wrong("http: { listeners: [], workers: 0 }", 33, "http.workers", "an integer from 1"),
      wrong("http: { listeners: [{ port: 1 }] }", 21, "http.listeners[0].address", "missing"),
      wrong("http: { listeners: [{ address: x, port: 1 }] }", 32, "http.listeners[0].address",
            "allowed: an IP address"),
      wrong("http: { listeners: [{ address: 0.0.0.0 }] }", 21, "http.listeners[0].port", "missing"),
      wrong("http: { listeners: [], api: 9464 }", 29, "http.api", "ADDRESS:PORT"),
      wrong("http: { listeners: [], trusted_proxies: [10.0.0.0/33] }", 42,
            "http.trusted_proxies[0]", "ADDRESS/BITS"),
      wrong("http: { listeners: [{ address: 0.0.0.0, port: 1, tls: [{ key: /k }] }] }", 56,
            "http.listeners[0].tls[0].cert", "missing; required: an absolute path"),
      wrong("http: { listeners: [{ address: 0.0.0.0, port: 1, tls: true }] }", 55,
            "http.listeners[0].tls", "found \"true\"; allowed: a map"),
  });
  expect_valid(
      {"version: 1\nhttp: { listeners: [{ address: \"::\", port: 1, proxy_protocol: true,"
       " tls: [{ cert: /c, key: /k }, { cert: /d, key: /l }] }], api: \"[::1]:9464\","
       " trusted_proxies: [10.0.0.0/8, \"2001:db8::/32\"] }"});
}

TEST(ConfigHttp, ChecksWhatBelongsTogether) {
  expect_mistakes({
      wrong("http: { listeners: [], access_log: {} }", 36, "http.access_log.path",
            "missing; required: an absolute path, or stdout"),
      wrong("http: { listeners: [], access_log: { path: stderr } }", 44, "http.access_log.path",
            "an absolute path, or stdout"),
      wrong("http: { listeners: [], access_log: { path: /l, format: xml } }", 56,
            "http.access_log.format", "allowed: combined, json"),
      wrong("http: { listeners: [{ address: 0.0.0.0, port: 1, tls: [] }] }", 55,
            "http.listeners[0].tls", "at least one certificate"),
  });
}

// C2
TEST(ConfigHttp, RefusesAListenerTwice) {
  const auto listeners = [](const std::string& a, const std::string& b) {
    return "http: { listeners: [{ address: " + a + " }, { address: " + b + " }] }";
  };
  expect_mistakes({
      wrong(listeners("0.0.0.0, port: 80", "0.0.0.0, port: 80"), 53, "http.listeners[1]",
            "the listener 0.0.0.0:80 again; allowed: once (it is http.listeners[0])"),
      wrong(listeners("\"::1\", port: 80", "\"0::1\", port: 80"), 51, "http.listeners[1]",
            "the listener [::1]:80 again"),
  });
  expect_valid({"version: 1\n" + listeners("0.0.0.0, port: 80", "0.0.0.0, port: 81"),
                "version: 1\n" + listeners("0.0.0.0, port: 80", "127.0.0.1, port: 80"),
                "version: 1\n" + listeners("0.0.0.0, port: 80", "\"::\", port: 80")});
}

HttpConfig read(const std::string& http) {
  const ParseResult result = parse_config("version: 1\nhttp: { listeners: [] " + http + " }");
  EXPECT_EQ(listed(result.problems), "") << http;
  EXPECT_TRUE(result.config.http.has_value());
  return result.config.http.value_or(HttpConfig());
}

TEST(ConfigHttp, IsNoneOrHasDefaults) {
  EXPECT_EQ(parse_config("version: 1").config.http, std::nullopt);
  EXPECT_EQ(read(""), HttpConfig());
  EXPECT_EQ(read(", access_log: { path: stdout }").access_log,
            (AccessLogConfig{.path = "stdout", .format = AccessLogFormat::kCombined}));
}

TEST(ConfigHttp, HoldsEveryKey) {
  const HttpConfig conf = read(
      ", workers: 3, api: \"127.0.0.1:9465\", drain_timeout: 0, trusted_proxies: "
      "[10.0.0.0/8, \"2001:db8::/32\"], access_log: { path: /l, format: json }");
  EXPECT_EQ(conf.workers, 3u);
  EXPECT_EQ(conf.api, "127.0.0.1:9465");
  EXPECT_EQ(conf.drain_timeout, std::chrono::seconds(0));
  EXPECT_THAT(conf.trusted_proxies, testing::ElementsAre(*IpRange::parse("10.0.0.0/8"),
                                                         *IpRange::parse("2001:db8::/32")));
  EXPECT_EQ(conf.access_log, (AccessLogConfig{.path = "/l", .format = AccessLogFormat::kJson}));
}

TEST(ConfigHttp, HoldsListenersOfBothFamilies) {
  const ParseResult result = parse_config(
      "version: 1\nhttp: { listeners: [{ address: 192.0.2.1, port: 80, proxy_protocol: true },"
      " { address: \"::\", port: 443, tls: { cert: /c, key: /k } },"
      " { address: \"::\", port: 444, tls: [{ cert: /c, key: /k }, { cert: /d, key: /l }] }] }");
  ASSERT_EQ(listed(result.problems), "");
  EXPECT_THAT(result.config.http->listeners,
              testing::ElementsAre(ListenerConfig{.address = *IpAddress::parse("192.0.2.1"),
                                                  .port = 80,
                                                  .tls = {},
                                                  .proxy_protocol = true},
                                   ListenerConfig{.address = *IpAddress::parse("::"),
                                                  .port = 443,
                                                  .tls = {{.cert = "/c", .key = "/k"}}},
                                   ListenerConfig{.address = *IpAddress::parse("::"),
                                                  .port = 444,
                                                  .tls = {{.cert = "/c", .key = "/k"},
                                                          {.cert = "/d", .key = "/l"}}}));
}

TEST(ConfigHttp, ListenersInheritDebugHeaders) {
  for (const bool inherited : {false, true}) {
    const ParseResult result = parse_config(
        "version: 1\nhttp: { listeners: [{ address: \"::\", port: 1 }, { address: \"::\", port: 2,"
        " debug_headers: true }, { address: \"::\", port: 3, debug_headers: false }],"
        " debug_headers: " +
        std::string(inherited ? "true" : "false") + " }");
    ASSERT_EQ(listed(result.problems), "");
    const auto& listeners = result.config.http->listeners;
    EXPECT_EQ(listeners[0].debug_headers, inherited);
    EXPECT_TRUE(listeners[1].debug_headers);
    EXPECT_FALSE(listeners[2].debug_headers);
  }
}

}  // namespace
}  // namespace rampart::control
