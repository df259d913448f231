// SPDX-License-Identifier: Apache-2.0
#include "control/config_upstream.h"

#include "unit/control/config_cases.h"

namespace rampart::control {
namespace {

// `line` stands beside a list of nodes.
Mistake wrong(const std::string& line, int column, const std::string& path,
              const std::string& text) {
  return {upstream_with(line + "\n    " + kNodes), 5, column, "upstreams[0]." + path, text};
}

Mistake wrong_nodes(const std::string& line, int column, const std::string& path,
                    const std::string& text) {
  return {upstream_with(line), 5, column, "upstreams[0]." + path, text};
}

// C5
TEST(ConfigUpstream, TakesNodesAsAListOrAMap) {
  const ParseResult list = parse_config(
      upstream_with("nodes: [{ host: 10.0.0.1, port: 65535, weight: 65535, metadata: { a: [b] } },"
                    " { host: 10.0.0.2, weight: 0 }, { host: 10.0.0.1 }]"));
  ASSERT_EQ(listed(list.problems), "");
  const auto& nodes = list.config.upstreams[0].nodes;
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].identity(), "10.0.0.1:65535");
  EXPECT_EQ(nodes[0].weight, 65535u);
  EXPECT_EQ(nodes[1].weight, 0u);
  EXPECT_EQ(nodes[2].identity(), "10.0.0.1");
  EXPECT_EQ(nodes[2].weight, 1u);
  const ParseResult map =
      parse_config(upstream_with("nodes: { \"10.0.0.1:65535\": 65535, 10.0.0.2: 0, 10.0.0.1: 1 }"));
  ASSERT_EQ(listed(map.problems), "");
  EXPECT_EQ(map.config.upstreams[0].nodes, nodes);
}

TEST(ConfigUpstream, KnowsThreeWaysToChoose) {
  const auto type = [](const std::string& name) {
    return parse_config("version: 1\nupstreams: [{ id: a, type: " + name + ", nodes: [] }]");
  };
  EXPECT_EQ(type("roundrobin").config.upstreams[0].algorithm, RP_ROUNDROBIN);
  EXPECT_EQ(type("chash").config.upstreams[0].algorithm, RP_CHASH);
  const ParseResult least_conn = type("least_conn");
  EXPECT_EQ(listed(least_conn.problems), "");
  EXPECT_EQ(least_conn.config.upstreams[0].algorithm, RP_LEAST_CONN);
  expect_mistakes({{"version: 1\nupstreams: [{ id: a, type: random, nodes: [] }]", 2, 28,
                    "upstreams[0].type", "allowed: roundrobin, chash, least_conn"}});
}

// C5
TEST(ConfigUpstream, ChecksNodes) {
  expect_mistakes({
      wrong_nodes("nodes: [{ host: 10.0.0.1, weight: 65536 }]", 39, "nodes[0].weight",
                  "an integer from 0 to 65535"),
      wrong_nodes("nodes: [{ host: 10.0.0.1, weight: -1 }]", 39, "nodes[0].weight", "from 0 to"),
      wrong_nodes("nodes: [{ host: 10.0.0.1, port: 0 }]", 37, "nodes[0].port", "from 1 to 65535"),
      wrong_nodes("nodes: [{ host: 10.0.0.1, port: 65536 }]", 37, "nodes[0].port", "from 1 to"),
      wrong_nodes("nodes: [{ port: 1 }]", 13, "nodes[0].host", "missing; required: an IP"),
      wrong_nodes("nodes: [10.0.0.1]", 13, "nodes[0]", "found \"10.0.0.1\"; allowed: a map"),
      wrong_nodes("nodes: [{ host: 10.0.0.1, metadata: 1 }]", 41, "nodes[0].metadata", "a map"),
      wrong_nodes("nodes: 10.0.0.1", 12, "nodes", "a list of nodes, or a map"),
      wrong_nodes("nodes: { \"10.0.0.1:0\": 1 }", 14, "nodes[\"10.0.0.1:0\"]", "from 1 to 65535"),
      wrong_nodes("nodes: { \"10.0.0.1:x\": 1 }", 14, "nodes[\"10.0.0.1:x\"]", "\"HOST:PORT\""),
      wrong_nodes("nodes: { \"10.0.0.1:1\": 70000 }", 28, "nodes[\"10.0.0.1:1\"]", "0 to 65535"),
      {"version: 1\nupstreams: [{ id: a }]", 2, 13, "upstreams[0].nodes", "missing; required"},
  });
  expect_valid({upstream_with("nodes: []")});
}

// S4.1
TEST(ConfigUpstream, NamesANodeByHostAndPort) {
  const ParseResult result = parse_config(
      upstream_with("nodes: [{ host: 10.0.0.1, port: 80, weight: 3, metadata: { uid: x } }]"));
  ASSERT_EQ(listed(result.problems), "");
  EXPECT_EQ(result.config.upstreams[0].nodes[0].identity(), "10.0.0.1:80");
}

// S4.6
TEST(ConfigUpstream, RefusesANodeTwice) {
  expect_mistakes({
      wrong_nodes("nodes: [{ host: 10.0.0.1, port: 1 }, { host: 10.0.0.1, port: 1, weight: 2 }]",
                  42, "nodes[1]",
                  "10.0.0.1:1 again; allowed: once in an upstream (it is "
                  "upstreams[0].nodes[0])"),
      wrong_nodes("nodes: [{ host: 10.0.0.1 }, { host: 10.0.0.1 }]", 33, "nodes[1]", "again"),
  });
  expect_valid(
      {upstream_with("nodes: [{ host: 10.0.0.1, port: 1 }, { host: 10.0.0.1, port: 2 }]")});
}

TEST(ConfigUpstream, ServesAddressesOfOneHost) {
  const std::string of_one = "allowed: an IP address of one host";
  const std::string not_yet = "not supported by this version; " + of_one;
  const auto host = [](const std::string& text, const std::string& why) {
    return wrong_nodes("nodes: [{ host: " + text + " }]", 21, "nodes[0].host", why);
  };
  expect_mistakes({
      host("shop.example", not_yet),
      host("localhost", not_yet),
      host("10.0.0", "found \"10.0.0\"; " + of_one),
      host("10.0.0.256", "found \"10.0.0.256\"; allowed"),
      host("10.0.0.1:80", "found \"10.0.0.1:80\"; allowed"),
      host("a_b..c", "found \"a_b..c\"; allowed"),
      host("0.0.0.0", of_one),
      host("239.1.1.1", of_one),
      host("255.255.255.255", of_one),
      host("\"::\"", of_one),
      host("\"ff02::1\"", of_one),
      host("\"fe80::1\"", of_one),
      host("\"[2001:db8::1]\"", of_one),
      host("\"::ffff:10.0.0.1\"", "as such"),
      wrong_nodes("nodes: { \"[fe80::1]:80\": 1 }", 14, "nodes[\"[fe80::1]:80\"]", of_one),
      wrong_nodes("nodes: { \"shop.example:80\": 1 }", 14, "nodes[\"shop.example:80\"]", not_yet),
  });
}

// S4.1
TEST(ConfigUpstream, TakesIpv6NodesWhereNoVipUsesThem) {
  const ParseResult result = parse_config(
      upstream_with("nodes: [{ host: \"2001:db8::1\", port: 80 }, { host: \"2001:DB8::2\" }]"));
  ASSERT_EQ(listed(result.problems), "");
  EXPECT_EQ(result.config.upstreams[0].nodes[0].identity(), "[2001:db8::1]:80");
  EXPECT_EQ(result.config.upstreams[0].nodes[1].identity(), "[2001:db8::2]");
  const ParseResult map = parse_config(upstream_with("nodes: { \"[2001:db8::1]:80\": 1 }"));
  ASSERT_EQ(listed(map.problems), "");
  EXPECT_EQ(map.config.upstreams[0].nodes[0], result.config.upstreams[0].nodes[0]);
}

// C2
TEST(ConfigUpstream, ChecksIds) {
  const std::string long_id(129, 'a');
  for (const std::string& id : {std::string("a/b"), std::string("\"\""), std::string("\"a b\""),
                                long_id, std::string("\"a:b\"")}) {
    expect_mistakes({{"version: 1\nupstreams: [{ nodes: [], id: " + id + " }]", 2, 30,
                      "upstreams[0].id", "1 to 128 letters, digits"}});
  }
  expect_mistakes(
      {{"version: 1\nupstreams: [{ nodes: [] }]", 2, 13, "upstreams[0].id", "missing"}});
}

TEST(ConfigUpstream, ChecksWhatIsForLayerSeven) {
  expect_mistakes({
      wrong("retries: -1", 14, "retries", "an integer from 0"),
      wrong("retry_timeout: x", 20, "retry_timeout", "a number from 0"),
      wrong("retry_non_idempotent: yes", 27, "retry_non_idempotent", "allowed: true or false"),
      wrong("retry_non_idempotent: 1", 27, "retry_non_idempotent", "allowed: true or false"),
      wrong("timeout: { connect: 0 }", 25, "timeout.connect", "a number from 0.001"),
      wrong("timeout: { write: 1 }", 16, "timeout.write", "unknown key"),
      wrong("scheme: ftp", 13, "scheme", "allowed: http, https"),
      {upstream_with(std::string("scheme: https\n    tls: { verify: 0 }\n    ") + kNodes), 6, 20,
       "upstreams[0].tls.verify", "allowed: true or false"},
      wrong("tls: {}", 10, "tls", "found without scheme: https; allowed: with it, or none"),
      {upstream_with(std::string("scheme: http\n    tls: {}\n    ") + kNodes), 6, 10,
       "upstreams[0].tls", "found without scheme: https"},
      {upstream_with(std::string("scheme: ftp\n    tls: {}\n    ") + kNodes), 5, 13,
       "upstreams[0].scheme", "allowed: http, https"},
      {upstream_with(std::string("hash_on: header\n    ") + kNodes), 3, 5, "upstreams[0].key",
       "missing; required: text"},
      {upstream_with(std::string("hash_on: source_ip\n    key: a\n    ") + kNodes), 6, 10,
       "upstreams[0].key", "beside hash_on"},
      wrong("hash_on: ip", 14, "hash_on", "allowed: 5tuple, source_ip, vars, header, cookie"),
  });
  expect_valid(
      {upstream_with(std::string("retries: 0\n    retry_timeout: 0.5\n    hash_on: cookie\n"
                                 "    key: sid\n    scheme: https\n    ") +
                     kNodes)});
}

HttpUpstreamConfig layer_7(const std::string& lines) {
  const ParseResult result = parse_config(upstream_with(lines + "\n    " + kNodes));
  EXPECT_EQ(listed(result.problems), "");
  return result.config.upstreams.at(0).http;
}

// P2, P6
TEST(ConfigUpstream, HoldsWhatIsForLayerSeven) {
  EXPECT_EQ(layer_7("fail_closed: true"), HttpUpstreamConfig());
  EXPECT_EQ(layer_7("tls: { verify: false, ca_file: /ca.pem }\n    scheme: https\n    retries: 0\n"
                    "    retry_timeout: 0.25\n    retry_non_idempotent: true\n"
                    "    timeout: { connect: 3, read: 0.5 }"),
            (HttpUpstreamConfig{.retries = 0,
                                .retry_timeout = std::chrono::milliseconds(250),
                                .retry_non_idempotent = true,
                                .timeouts = {.connect = std::chrono::seconds(3),
                                             .send = std::nullopt,
                                             .read = std::chrono::milliseconds(500)},
                                .https = true,
                                .verify = false,
                                .ca_file = "/ca.pem",
                                .hash_on = std::nullopt,
                                .key = ""}));
}

// P8
TEST(ConfigUpstream, HoldsWhatRequestsAreHashedOn) {
  const auto hash = [](const std::string& word) {
    const HttpUpstreamConfig conf = layer_7("hash_on: " + word + "\n    key: x");
    EXPECT_EQ(conf.key, "x");
    return conf.hash_on;
  };
  EXPECT_EQ(hash("vars"), HttpHashOn::kVars);
  EXPECT_EQ(hash("header"), HttpHashOn::kHeader);
  EXPECT_EQ(hash("cookie"), HttpHashOn::kCookie);
  EXPECT_EQ(layer_7("hash_on: 5tuple"), HttpUpstreamConfig());
}

TEST(ConfigUpstream, RefusesWhatIsToCome) {
  const std::string not_yet = "not supported by this version; allowed: ";
  expect_mistakes({
      {"version: 1\nupstreams: [{ id: a, discovery_type: file }]", 2, 38,
       "upstreams[0].discovery_type", not_yet},
      {"version: 1\nupstreams: [{ id: a, discovery_type: dns }]", 2, 38,
       "upstreams[0].discovery_type", "found \"dns\"; allowed: kubernetes, file"},
      wrong("service_name: a", 19, "service_name", "without discovery_type"),
  });
}

// H6
TEST(ConfigUpstream, ReadsWhenToPanic) {
  const auto panic = [](const std::string& line) {
    const ParseResult result = parse_config(upstream_with(line + "\n    " + kNodes));
    EXPECT_EQ(listed(result.problems), "");
    return result.config.upstreams[0].panic;
  };
  EXPECT_EQ(panic("retries: 1"), engine::PanicPolicy());
  EXPECT_EQ(panic("panic_threshold_percent: 100"),
            (engine::PanicPolicy{.threshold_percent = 100, .fail_closed = false}));
  EXPECT_EQ(panic("fail_closed: true"),
            (engine::PanicPolicy{.threshold_percent = 0, .fail_closed = true}));
  expect_mistakes({wrong("panic_threshold_percent: 101", 30, "panic_threshold_percent", "0 to 100"),
                   wrong("fail_closed: 1", 18, "fail_closed", "true or false")});
}

}  // namespace
}  // namespace rampart::control
