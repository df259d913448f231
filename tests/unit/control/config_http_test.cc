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

TEST(ConfigHttp, ChecksServicesAndRoutes) {
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
TEST(ConfigHttp, RefusesDuplicateIdsOfServicesAndRoutes) {
  expect_mistakes({
      {"version: 1\nupstreams: [{ id: u, nodes: [] }]\n"
       "services: [{ id: s, upstream_id: u },\n  { id: s, upstream_id: u }]",
       4, 9, "services[1].id", "(it is services[0].id)"},
      {"version: 1\nupstreams: [{ id: u, nodes: [] }]\n"
       "routes: [{ id: r, uri: /, upstream_id: u },\n  { id: r, uri: /, upstream_id: u }]",
       4, 9, "routes[1].id", "(it is routes[0].id)"},
  });
}

}  // namespace
}  // namespace rampart::control
