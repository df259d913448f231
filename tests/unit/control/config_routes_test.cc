// SPDX-License-Identifier: Apache-2.0
#include "control/config_routes.h"

#include <utility>

#include "unit/control/config_cases.h"

namespace rampart::control {
namespace {

using testing::ElementsAre;

Mistake wrong(const std::string& line, int column, const std::string& path,
              const std::string& text) {
  return {"version: 1\n" + line, 2, column, path, text};
}

std::string orders_and(const std::string& lines) {
  return "version: 1\nupstreams: [{ id: orders, nodes: [] }, { id: stock, nodes: [] }]\n" + lines;
}

Config read(const std::string& document) {
  const ParseResult result = parse_config(document);
  EXPECT_EQ(listed(result.problems), "") << document;
  return result.config;
}

RouteConfig route(const std::string& more) {
  const Config config =
      read(orders_and("services: [{ id: s, upstream_id: orders },"
                      " { id: own, upstream_id: orders, upstream: { nodes: [] } }]\n"
                      "routes: [{ id: r, uri: /, " +
                      more + " }]"));
  return config.routes.at(0);
}

std::vector<ScopeId> ids(const Config& config) {
  std::vector<ScopeId> list;
  for (const UpstreamConfig& upstream : config.upstreams) list.push_back(upstream.id);
  return list;
}

TEST(ConfigRoutes, HoldWhatTheyMatchAndHowRequestsAreServed) {
  EXPECT_EQ(route("upstream_id: stock"), (RouteConfig{.id = "r",
                                                      .host = "",
                                                      .uri = "/",
                                                      .methods = {},
                                                      .scope = "stock",
                                                      .split = {},
                                                      .timeouts = {},
                                                      .max_body = std::nullopt}));
  EXPECT_EQ(route("host: SHOP.Example, methods: [GET, HEAD], upstream_id: stock, max_body: 0,"
                  " timeout: { send: 0.001 }"),
            (RouteConfig{.id = "r",
                         .host = "shop.example",
                         .uri = "/",
                         .methods = {"GET", "HEAD"},
                         .scope = "stock",
                         .split = {},
                         .timeouts = {.connect = std::nullopt,
                                      .send = std::chrono::milliseconds(1),
                                      .read = std::nullopt},
                         .max_body = 0}));
  EXPECT_EQ(route("host: \"*.Shop.example\", upstream_id: stock").host, "*.shop.example");
}

// The route's own upstream, its upstream_id, its service's upstream, its service's upstream_id.
TEST(ConfigRoutes, TheNearestUpstreamWins) {
  EXPECT_EQ(route("service_id: s").scope, "orders");
  EXPECT_EQ(route("service_id: own").scope, "own");
  EXPECT_EQ(route("service_id: own, upstream_id: stock").scope, "stock");
  EXPECT_EQ(route("service_id: own, upstream_id: stock, upstream: { nodes: [] }").scope, "r");
}

// S1.4
TEST(ConfigRoutes, AnEmbeddedUpstreamIsCalledAsWhatEmbedsIt) {
  const Config config = read(
      orders_and("services: [{ id: s, upstream: { nodes: { 10.0.0.1: 1 }, slow_start: {"
                 " slow_start_time_seconds: 9, min_weight_percent: 1 } } }]\n"
                 "routes: [{ id: r, uri: /, upstream: { nodes: { 10.0.0.2: 2, 10.0.0.3: 3 } } }]"));
  ASSERT_THAT(ids(config), ElementsAre("orders", "stock", "s", "r"));
  EXPECT_TRUE(config.upstreams[2].slow_start.has_value());
  EXPECT_EQ(config.upstreams[3].nodes.size(), 2u);
}

// S1.5
TEST(ConfigRoutes, AnUpstreamInsideASplitIsCalledByItsPlace) {
  const Config config =
      read(orders_and("routes: [{ id: r, uri: /, traffic_split: [{ upstream_id: stock },"
                      " { upstream: { nodes: { 10.0.0.1: 1 } }, weight: 9 }, { upstream: { nodes: "
                      "[] }, weight: 0 }]"
                      " }]"));
  EXPECT_THAT(ids(config), ElementsAre("orders", "stock", "r#1", "r#2"));
  EXPECT_EQ(config.routes[0].scope, "");
  EXPECT_THAT(config.routes[0].split, ElementsAre(SplitConfig{.scope = "stock", .weight = 1},
                                                  SplitConfig{.scope = "r#1", .weight = 9},
                                                  SplitConfig{.scope = "r#2", .weight = 0}));
  EXPECT_EQ(config.upstreams[2].nodes.size(), 1u);
}

TEST(ConfigRoutes, RefuseASplitThatSendsNothingAnywhere) {
  const auto with = [](const std::string& target, const std::string& split) {
    return orders_and("routes: [{ id: r, uri: /, traffic_split: " + split + target + " }]");
  };
  const std::string none = "[{ upstream_id: orders, weight: 0 }]";
  const std::string text = "found no weight above 0, and no other target";
  expect_mistakes({{with("", none), 3, 42, "routes[0].traffic_split", text},
                   {with("", "[]"), 3, 42, "routes[0].traffic_split", text}});
  expect_valid({with(", upstream_id: stock", none), with(", upstream: { nodes: [] }", none),
                with("", "[{ upstream_id: orders }]")});
}

TEST(ConfigRoutes, TakeHostsThatAreNamesOrWildcards) {
  const auto document = [](const std::string& host) {
    return orders_and("routes: [{ id: r, uri: /, upstream_id: stock, host: " + host + " }]");
  };
  for (const char* host : {"\"*\"", "\"*.\"", "\"a.*\"", "\"*a.example\"", "\"*.*.example\"",
                           "\"a:80\"", "a/b", "a b", "a..b", "\"[::1]\""}) {
    expect_mistakes({{document(host), 3, 53, "routes[0].host", "a host name, or \"*.\" and one"}});
  }
  expect_valid(
      {document("a"), document("10.0.0.1"), document("\"*.a\""), document("\"*.a-b.c_d\"")});
}

std::string two_routes(const std::string& first, const std::string& second) {
  return orders_and("routes:\n  - { id: a, upstream_id: stock, " + first +
                    " }\n  - { id: b, upstream_id: stock, " + second + " }\n");
}

// C2
TEST(ConfigRoutes, RefuseTwoThatTheSameRequestFits) {
  const std::vector<std::pair<std::string, std::string>> same = {
      {"uri: /", "uri: /"},
      {"uri: /a*, host: a.example", "uri: /a*, host: A.Example"},
      {"uri: /, methods: [GET, PUT]", "uri: /, methods: [POST, PUT]"},
  };
  for (const auto& [first, second] : same) {
    expect_mistakes({{two_routes(first, second), 5, 5, "routes[1]",
                      "found the same host, uri and methods as routes[0]; allowed: "}});
  }
  expect_valid({two_routes("uri: /", "uri: /*"),
                two_routes("uri: /, host: a.example", "uri: /, host: \"*.a.example\""),
                two_routes("uri: /, host: a", "uri: /"),
                two_routes("uri: /, methods: [GET]", "uri: /, methods: [POST]"),
                two_routes("uri: /, methods: [GET, GET]", "uri: /")});
  EXPECT_EQ(parse_config(two_routes("uri: x", "uri: y")).problems.size(), 2u);
}

TEST(ConfigRoutes, ChecksServicesAndRoutes) {
  expect_mistakes({
      wrong("services: [{ id: s }]", 12, "services[0]", "neither upstream_id nor upstream"),
      wrong("routes: [{ id: r, uri: / }]", 10, "routes[0]", "none of service_id, upstream_id"),
      wrong("routes: [{ id: r, upstream: { nodes: [] } }]", 10, "routes[0].uri", "missing"),
      wrong("routes: [{ id: r, uri: api, upstream: { nodes: [] } }]", 24, "routes[0].uri",
            "a path that begins with '/'"),
      wrong("routes: [{ id: r, uri: /, methods: [get], upstream: { nodes: [] } }]", 37,
            "routes[0].methods[0]", "capital letters"),
      wrong("routes: [{ id: r, uri: /, max_body: -1, upstream: { nodes: [] } }]", 37,
            "routes[0].max_body", "an integer from 0"),
      wrong("routes: [{ id: r, uri: /, timeout: 3, upstream: { nodes: [] } }]", 36,
            "routes[0].timeout", "allowed: a map"),
      wrong("routes: [{ id: r, uri: /, traffic_split: [{ weight: 1 }] }]", 43,
            "routes[0].traffic_split[0]", "neither of upstream_id and upstream"),
      wrong(
          "routes: [{ id: r, uri: /, upstream: { nodes: [{ hots: 10.0.0.1, host: 10.0.0.1 }] } }]",
          49, "routes[0].upstream.nodes[0].hots", "did you mean \"host\"?"),
      wrong("services: [{ id: a, upstream: { nodes: [] } }, { id: b, upstream: { id: b, nodes: [] "
            "} }]",
            73, "services[1].upstream.id", "allowed: none"),
  });
  // A route's own upstream wins over its upstream_id.
  expect_valid(
      {"version: 1\nupstreams: [{ id: u, nodes: [] }]\n"
       "routes: [{ id: r, uri: /, upstream_id: u, upstream: { nodes: [] } }]"});
}

// C2
TEST(ConfigRoutes, RefusesDuplicateIdsOfServicesAndRoutes) {
  expect_mistakes({
      {"version: 1\nupstreams: [{ id: u, nodes: [] }]\n"
       "services: [{ id: s, upstream_id: u },\n  { id: s, upstream_id: u }]",
       4, 9, "services[1].id", "(it is services[0].id)"},
      {"version: 1\nupstreams: [{ id: u, nodes: [] }]\n"
       "routes: [{ id: r, uri: /, upstream_id: u },\n  { id: r, uri: /b, upstream_id: u }]",
       4, 9, "routes[1].id", "(it is routes[0].id)"},
  });
}

}  // namespace
}  // namespace rampart::control
