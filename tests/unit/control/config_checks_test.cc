// SPDX-License-Identifier: Apache-2.0
#include "control/config_checks.h"

#include "unit/control/config_cases.h"

namespace rampart::control {
namespace {

using testing::ElementsAre;

constexpr char kPortNode[] = "nodes: [{ host: 10.0.0.10, port: 80 }]";

// The block `active` of an upstream, whose first letter is in column 25.
std::string with_active(const std::string& active) {
  return upstream_with("checks: { active: { " + active + " } }\n    " + kPortNode);
}

ActiveCheck read(const std::string& active) {
  const ParseResult result = parse_config(with_active(active));
  EXPECT_EQ(listed(result.problems), "") << active;
  return result.config.upstreams.at(0).active_check.value_or(ActiveCheck{.host = "none"});
}

Mistake wrong(const std::string& active, int column, const std::string& path,
              const std::string& text) {
  return {with_active(active), 5, 25 + column, "upstreams[0].checks.active." + path, text};
}

TEST(ConfigChecks, WithoutABlockThereIsNoCheck) {
  for (const std::string& line :
       {std::string(kPortNode), "checks: {}\n    " + std::string(kPortNode)})
    EXPECT_EQ(parse_config(upstream_with(line)).config.upstreams[0].active_check, std::nullopt);
}

// H1
TEST(ConfigChecks, AnEmptyBlockIsACheckWithAllDefaults) {
  EXPECT_EQ(read(""), ActiveCheck());
}

// H1
TEST(ConfigChecks, ReadEveryKey) {
  const ActiveCheck http = read(
      "type: https, timeout: 0.25, concurrency: 3, host: a.example, port: 8443, "
      "http_path: \"/live?x=1\", https_verify_certificate: false, req_headers: [\"B:  2 \", \"A: "
      "1\"], "
      "healthy: { interval: 5, successes: 7, http_statuses: [204] }, "
      "unhealthy: { interval: 6, tcp_failures: 1, http_failures: 0, timeouts: 254, "
      "http_statuses: [503, 500, 500] }");
  const ActiveCheck expected{
      .type = CheckType::kHttps,
      .timeout = std::chrono::milliseconds(250),
      .concurrency = 3,
      .host = "a.example",
      .port = 8443,
      .http_path = "/live?x=1",
      .https_verify_certificate = false,
      .req_headers = {{"A", "1"}, {"B", "2"}},
      .payload = "",
      .expected_prefix = "",
      .healthy = {.interval = std::chrono::seconds(5), .successes = 7, .http_statuses = {204}},
      .unhealthy = {.interval = std::chrono::seconds(6),
                    .tcp_failures = 1,
                    .http_failures = 0,
                    .timeouts = 254,
                    .http_statuses = {500, 503}}};
  EXPECT_EQ(http, expected);
  const ActiveCheck udp = read(R"(type: udp, payload: "a\r\nb", expected_prefix: ok)");
  EXPECT_EQ(udp.type, CheckType::kUdp);
  EXPECT_EQ(udp.payload, "a\r\nb");
  EXPECT_EQ(udp.expected_prefix, "ok");
}

// H3
TEST(ConfigChecks, TheOrderOfKeysAndHeadersIsNoneOfTheDefinition) {
  EXPECT_EQ(hash_of(read("timeout: 2, host: a, req_headers: [\"A: 1\", \"B: 2\"]")),
            hash_of(read("req_headers: [\"B:2\", \"A:1\"], host: a, timeout: 2.0")));
  EXPECT_EQ(hash_of(read("healthy: { http_statuses: [302, 200] }, timeout: 1")), hash_of(read("")));
}

TEST(ConfigChecks, AStatusOfOneListIsTakenOutOfTheOthersDefault) {
  const ActiveCheck healthy = read("healthy: { http_statuses: [200, 404] }");
  EXPECT_THAT(healthy.healthy.http_statuses, ElementsAre(200, 404));
  EXPECT_FALSE(healthy.unhealthy.http_statuses.contains(404));
  EXPECT_TRUE(healthy.unhealthy.http_statuses.contains(503));
  const ActiveCheck unhealthy = read("unhealthy: { http_statuses: [302] }");
  EXPECT_THAT(unhealthy.healthy.http_statuses, ElementsAre(200));
  EXPECT_THAT(unhealthy.unhealthy.http_statuses, ElementsAre(302));
  expect_mistakes(
      {wrong("healthy: { http_statuses: [200] }, unhealthy: { http_statuses: [503, 200] }", 63,
             "unhealthy.http_statuses", "found 200, which is in healthy.http_statuses too")});
}

// C2
TEST(ConfigChecks, ChecksValues) {
  expect_mistakes({
      wrong("type: icmp", 6, "type", "allowed: tcp, http, https, udp"),
      wrong("timeout: 0", 9, "timeout", "a number from 0.001"),
      wrong("concurrency: 0", 13, "concurrency", "an integer from 1 to 1024"),
      wrong("port: 0", 6, "port", "an integer from 1 to 65535"),
      wrong("host: \"a b\"", 6, "host", "a host name or an IP address"),
      wrong("host: \"a:80\"", 6, "host", "a host name or an IP address"),
      wrong("http_path: live", 11, "http_path", "a path that begins with '/'"),
      wrong("http_path: \"/a b\"", 11, "http_path", "without spaces"),
      wrong("req_headers: [a]", 14, "req_headers[0]", "NAME: VALUE"),
      wrong("req_headers: [\"a b: c\"]", 14, "req_headers[0]", "NAME: VALUE"),
      wrong("req_headers: [\"a: b\\r\\nc: d\"]", 14, "req_headers[0]", "NAME: VALUE"),
      wrong("req_headers: [\"host: a\"]", 14, "req_headers[0]", "allowed: checks.active.host"),
      wrong("req_headers: [\"Content-Length: 1\"]", 14, "req_headers[0]", "have no body"),
      wrong("healthy: { http_statuses: [] }", 26, "healthy.http_statuses", "at least one status"),
      wrong("healthy: { http_statuses: [199] }", 27, "healthy.http_statuses[0]", "from 200 to 599"),
      wrong("healthy: { successes: 255 }", 22, "healthy.successes", "from 0 to 254"),
      wrong("unhealthy: 3", 11, "unhealthy", "a map"),
      wrong("interval: 3", 0, "interval", "unknown key"),
  });
}

// Nothing is accepted and ignored.
TEST(ConfigChecks, RefuseWhatATypeHasNoUseFor) {
  const std::string http = "beside that type; allowed: with type: http or https";
  expect_mistakes({
      wrong("type: tcp, host: a", 17, "host", http),
      wrong("type: udp, http_path: /", 22, "http_path", http),
      wrong("type: tcp, req_headers: []", 24, "req_headers", http),
      wrong("type: tcp, healthy: { http_statuses: [200] }", 37, "healthy.http_statuses", http),
      wrong("type: tcp, unhealthy: { http_statuses: [500] }", 39, "unhealthy.http_statuses", http),
      wrong("type: udp, unhealthy: { http_failures: 1 }", 39, "unhealthy.http_failures", http),
      wrong("type: http, https_verify_certificate: true", 38, "https_verify_certificate",
            "with type: https"),
      wrong("type: tcp, payload: a", 20, "payload", "beside that type; allowed: with type: udp"),
      wrong("expected_prefix: a", 17, "expected_prefix",
            "without a type, which is http; allowed: with type: udp"),
  });
  expect_mistakes({wrong("type: icmp, payload: a, host: b", 6, "type", "allowed: tcp")});
}

TEST(ConfigChecks, WarnWhereNoPassBringsANodeUp) {
  const ParseResult result = parse_config(with_active("healthy: { successes: 0 }"));
  EXPECT_EQ(listed(result.problems), "");
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0].path, "upstreams[0].checks.active.healthy.successes");
  EXPECT_EQ(parse_config(with_active("unhealthy: { timeouts: 0 }")).warnings.size(), 0u);
}

// The block `passive` of an upstream, whose first letter is in column 38.
std::string with_passive(const std::string& passive) {
  return upstream_with("checks: { active: {}, passive: { " + passive + " } }\n    " + kPortNode);
}

PassiveCheck read_passive(const std::string& passive) {
  const ParseResult result = parse_config(with_passive(passive));
  EXPECT_EQ(listed(result.problems), "") << passive;
  return result.config.upstreams.at(0).passive_check.value_or(PassiveCheck{.successes = 999});
}

Mistake wrong_passive(const std::string& passive, int column, const std::string& path,
                      const std::string& text) {
  return {with_passive(passive), 5, 38 + column, "upstreams[0].checks.passive." + path, text};
}

// H1
TEST(ConfigChecks, APassiveBlockHasDefaultsOfItsOwn) {
  EXPECT_EQ(read_passive(""), PassiveCheck());
  EXPECT_EQ(read_passive("type: https"), PassiveCheck());
  EXPECT_EQ(parse_config(with_active("")).config.upstreams[0].passive_check, std::nullopt);
}

// H1
TEST(ConfigChecks, ReadEveryKeyOfPassiveOnes) {
  const PassiveCheck expected{.healthy_statuses = {200, 204},
                              .successes = 1,
                              .unhealthy_statuses = {500, 502},
                              .tcp_failures = 0,
                              .http_failures = 254,
                              .timeouts = 3};
  EXPECT_EQ(read_passive("type: http, healthy: { successes: 1, http_statuses: [204, 200] }, "
                         "unhealthy: { tcp_failures: 0, http_failures: 254, timeouts: 3, "
                         "http_statuses: [500, 502, 500] }"),
            expected);
}

TEST(ConfigChecks, AStatusOfOnePassiveListIsTakenOutOfTheOthersDefault) {
  EXPECT_FALSE(read_passive("healthy: { http_statuses: [429] }").unhealthy_statuses.contains(429));
  EXPECT_FALSE(read_passive("unhealthy: { http_statuses: [308] }").healthy_statuses.contains(308));
}

TEST(ConfigChecks, ToPassiveTcpOnesEveryAnswerIsASuccess) {
  const PassiveCheck tcp = read_passive("type: tcp, unhealthy: { tcp_failures: 4 }");
  EXPECT_EQ(tcp.tcp_failures, 4u);
  EXPECT_EQ(tcp.http_failures, 0u);
  EXPECT_EQ(tcp.unhealthy_statuses.size(), 0u);
  EXPECT_EQ(tcp.healthy_statuses.size(), 400u);
  EXPECT_TRUE(tcp.healthy_statuses.contains(503));
}

// C2
TEST(ConfigChecks, ChecksValuesOfPassiveOnes) {
  const std::string http = "beside that type; allowed: with type: http or https";
  expect_mistakes({
      wrong_passive("type: udp", 6, "type", "allowed: http, https, tcp"),
      wrong_passive("interval: 1", 0, "interval", "unknown key"),
      wrong_passive("healthy: { interval: 1 }", 11, "healthy.interval", "unknown key"),
      wrong_passive("healthy: { successes: 255 }", 22, "healthy.successes", "from 0 to 254"),
      wrong_passive("unhealthy: { http_statuses: [] }", 28, "unhealthy.http_statuses", "at least"),
      wrong_passive("type: tcp, unhealthy: { http_failures: 1 }", 39, "unhealthy.http_failures",
                    http),
      wrong_passive("type: tcp, healthy: { http_statuses: [200] }", 37, "healthy.http_statuses",
                    http),
  });
}

// H1
TEST(ConfigChecks, WantActiveChecksBesidePassiveOnes) {
  expect_mistakes({{upstream_with(std::string("checks: { passive: {} }\n    ") + kPortNode), 5, 24,
                    "upstreams[0].checks.passive", "found without checks.active"}});
}

std::string document(const std::string& upstream, const std::string& vips) {
  return "version: 1\nupstreams:\n  - " + upstream + "\nvips: [" + vips + "]\n";
}

std::string vip(const std::string& id, const std::string& port) {
  return "{ id: " + id + ", address: 203.0.113.1, port: " + port +
         ", forward: nat, upstream_id: a }";
}

// H2, H7: a node has one verdict, so its check has one port.
TEST(ConfigChecks, EveryTargetHasAPort) {
  const std::string bare = "{ id: a, nodes: [{ host: 10.0.0.1 }], checks: { active: {} } }";
  const std::string own = "{ id: a, nodes: [{ host: 10.0.0.1, port: 1 }], checks: { active: {} } }";
  const std::string override =
      "{ id: a, nodes: [{ host: 10.0.0.1 }], checks: { active: { port: 1 } } }";
  expect_mistakes({
      {document(bare, ""), 3, 22, "upstreams[0].nodes[0]",
       "found no port, and no VIP and no route uses upstreams[0], so its checks have nowhere to "
       "go; allowed: a "
       "port, or checks.active.port"},
      {document(bare, vip("v", "80") + ", " + vip("w", "81")), 3, 22, "upstreams[0].nodes[0]",
       "VIPs of several ports use upstreams[0]"},
      {document(bare, vip("v", "x")), 4, 45, "vips[0].port", "an integer"},
  });
  expect_valid({document(bare, vip("v", "80")), document(own, ""), document(override, ""),
                document(own, vip("v", "80") + ", " + vip("w", "81")),
                document(override, vip("v", "80") + ", " + vip("w", "81"))});
}

TEST(ConfigChecks, AnEmbeddedUpstreamHasThePortOfItsVip) {
  expect_valid(
      {"version: 1\nvips: [{ id: v, address: 203.0.113.1, port: 80, forward: nat, "
       "upstream: { nodes: [{ host: 10.0.0.1 }], checks: { active: { type: tcp } } } }]"});
}

// H7: at layer 7 the scheme says which port a node without one has.
TEST(ConfigChecks, ATargetThatRoutesLeadToNeedsNoPort) {
  const std::string bare = "{ id: a, nodes: [{ host: 10.0.0.1 }], checks: { active: {} } }";
  const std::string route = "routes: [{ id: r, uri: /, upstream_id: a }]\n";
  expect_valid({document(bare, "") + route, document(bare, vip("v", "80")) + route,
                "version: 1\nservices: [{ id: s, upstream: " + bare.substr(0, 2) + bare.substr(9) +
                    " }]\nroutes: [{ id: r, uri: /, service_id: s }]"});
  // Layer 4 checks it too, and cannot tell.
  expect_mistakes({{document(bare, vip("v", "80") + ", " + vip("w", "81")) + route, 3, 22,
                    "upstreams[0].nodes[0]", "VIPs of several ports use upstreams[0]"}});
}

}  // namespace
}  // namespace rampart::control
