// SPDX-License-Identifier: Apache-2.0
#include "control/config_relations.h"

#include "unit/control/config_cases.h"

namespace rampart::control {
namespace {

constexpr char kOrders[] = "version: 1\nupstreams: [{ id: orders, nodes: [{ host: 10.0.0.1 }] }]\n";

std::string vip(const std::string& id, const std::string& address, int port,
                const std::string& more = "forward: nat, upstream_id: orders") {
  return "  - { id: " + id + ", address: " + address + ", port: " + std::to_string(port) + ", " +
         more + " }\n";
}

std::string vips(const std::vector<std::string>& list) {
  std::string text = std::string(kOrders) + "vips:\n";
  for (const std::string& item : list) text += item;
  return text;
}

// An upstream of `count` nodes from 10.1.0.0 on, in one line.
std::string crowd(const std::string& id, int count, const std::string& weight = "1") {
  std::string text = "{ id: " + id + ", nodes: { ";
  for (int i = 0; i < count; ++i) {
    const std::string separator = i == 0 ? "" : ", ";
    text += separator + "10.1." + std::to_string(i / 256) + "." + std::to_string(i % 256) + ": " +
            weight;
  }
  return text + " } }";
}

// C2
TEST(ConfigRelations, RefuseDuplicateVips) {
  expect_mistakes({{vips({vip("a", "203.0.113.1", 80), vip("b", "203.0.113.1", 80)}), 5, 5,
                    "vips[1]", "the VIP 203.0.113.1:80 tcp again; allowed: once (it is vips[0])"}});
  expect_valid(
      {vips({vip("a", "203.0.113.1", 80), vip("b", "203.0.113.1", 81), vip("c", "203.0.113.2", 80),
             vip("d", "203.0.113.1", 80, "protocol: udp, forward: l2, upstream_id: orders")})});
}

// C2
TEST(ConfigRelations, RefuseDanglingIds) {
  expect_mistakes({
      {vips({vip("a", "203.0.113.1", 80, "forward: nat, upstream_id: other")}), 4, 73,
       "vips[0].upstream_id", "found \"other\", which names no upstream"},
      {std::string(kOrders) + "services: [{ id: s, upstream_id: other }]", 3, 34,
       "services[0].upstream_id", "names no upstream"},
      {std::string(kOrders) + "routes: [{ id: r, uri: /, service_id: s }]", 3, 39,
       "routes[0].service_id", "found \"s\", which names no service"},
      {std::string(kOrders) + "routes: [{ id: r, uri: /, traffic_split: [{ upstream_id: x }] }]", 3,
       58, "routes[0].traffic_split[0].upstream_id", "names no upstream"},
  });
}

// C2
TEST(ConfigRelations, RefuseDuplicateIds) {
  expect_mistakes({
      {"version: 1\nupstreams: [{ id: a, nodes: [] }, { id: a, nodes: [] }]", 2, 41,
       "upstreams[1].id",
       "again; allowed: once among upstreams and what embeds one (it is "
       "upstreams[0].id)"},
      {vips({vip("a", "203.0.113.1", 80), vip("a", "203.0.113.2", 80)}), 5, 11, "vips[1].id",
       "once among VIPs (it is vips[0].id)"},
  });
}

// S1.4: each is a scope of its own.
TEST(ConfigRelations, RefuseTwoScopesOfOneId) {
  const std::string embedded = "forward: nat, upstream: { nodes: [] }";
  expect_mistakes({
      {vips({vip("orders", "203.0.113.1", 80, embedded)}), 4, 11, "vips[0].id",
       "found the id \"orders\" again"},
      {std::string(kOrders) + "services: [{ id: orders, upstream: { nodes: [] } }]", 3, 18,
       "services[0].id", "(it is upstreams[0].id)"},
      {"version: 1\nservices: [{ id: a, upstream: { nodes: [] } }]\n"
       "routes: [{ id: a, uri: /, upstream: { nodes: [] } }]",
       3, 16, "routes[0].id", "(it is services[0].id)"},
  });
  expect_valid({vips({vip("orders", "203.0.113.1", 80)}),
                std::string(kOrders) + "services: [{ id: orders, upstream_id: orders }]"});
}

// W4: whatever their weights, which an operator can override.
TEST(ConfigRelations, WantASlotForEachNode) {
  const auto document = [](const std::string& upstream) {
    return "version: 1\nupstreams:\n  - " + upstream + "\nvips:\n" +
           vip("a", "203.0.113.1", 80, "forward: nat, upstream_id: many, table_size: 251");
  };
  for (const char* weight : {"1", "0"}) {
    expect_mistakes({{document(crowd("many", 252, weight)), 5, 91, "vips[0].table_size",
                      "table_size is 251 and upstreams[0] has 252 nodes; allowed: at least a"}});
    expect_valid({document(crowd("many", 251, weight))});
  }
}

// X12
TEST(ConfigRelations, WantTheVipsPortInL2) {
  const auto document = [](const std::string& node, const std::string& forward) {
    return "version: 1\nupstreams: [{ id: u, nodes: [{ host: 10.0.0.1" + node + " }] }]\nvips:\n" +
           vip("a", "203.0.113.1", 80, "forward: " + forward + ", upstream_id: u");
  };
  expect_mistakes(
      {{document(", port: 8080", "l2"), 2, 54, "upstreams[0].nodes[0].port",
        "found the port 8080, but forward: l2 of the VIP \"a\" leaves ports as they are; "
        "allowed: 80, or none"}});
  expect_valid({document(", port: 80", "l2"), document("", "l2"), document(", port: 8080", "nat")});
}

// C2
TEST(ConfigRelations, WantNodesOfTheVipsFamily) {
  const auto problems =
      parse_config("version: 1\nvips:\n" +
                   vip("a", "203.0.113.1", 80,
                       "forward: nat, upstream: { nodes: [{ host: \"2001:db8::1\" }] }"))
          .problems;
  ASSERT_EQ(problems.size(), 2u);  // the other one: IPv6 is not supported yet
  EXPECT_EQ(problems[0].path, "vips[0].upstream.nodes[0]");
  EXPECT_THAT(problems[0].text, testing::HasSubstr("another family than that of the VIP \"a\""));
}

// Layer 4 has no IPv6 yet; layer 7 has.
TEST(ConfigRelations, RefuseIpv6NodesOnlyBehindVips) {
  const std::string upstream =
      "version: 1\nupstreams:\n  - { id: u, nodes: [{ host: \"::1\" }] }\n";
  const auto problems = parse_config(upstream + "vips:\n" +
                                     vip("a", "203.0.113.1", 80, "forward: nat, upstream_id: u") +
                                     vip("b", "203.0.113.1", 81, "forward: nat, upstream_id: u"))
                            .problems;
  ASSERT_EQ(problems.size(), 3u) << listed(problems);  // two: of another family
  EXPECT_EQ(problems[2].path, "upstreams[0].nodes[0].host");
  EXPECT_THAT(
      problems[2].text,
      testing::HasSubstr("found the IPv6 address \"::1\" behind the VIP \"a\", not supported "
                         "by this version; allowed: an IPv4 address"));
  expect_valid(
      {upstream, upstream + "routes: [{ id: r, uri: /, upstream_id: u }]",
       "version: 1\nroutes: [{ id: r, uri: /, upstream: { nodes: [{ host: \"::1\" }] } }]"});
}

// B1
TEST(ConfigRelations, WantEachNodeOnceOnAVip) {
  const auto document = [](int port) {
    return "version: 1\nvips:\n" +
           vip("a", "203.0.113.1", port,
               "forward: nat, upstream: { nodes: { 10.0.0.1: 1, \"10.0.0.1:80\": 1 } }");
  };
  expect_mistakes({{document(80), 3, 81, "vips[0].upstream.nodes[\"10.0.0.1\"]",
                    "10.0.0.1:80 on the VIP \"a\", as is"}});
  expect_valid({document(81)});
}

// X8
TEST(ConfigRelations, WantOneMindAboutUnknownPortsOfAnAddress) {
  const auto problems =
      parse_config(vips({vip("a", "203.0.113.1", 80),
                         vip("b", "203.0.113.1", 81,
                             "forward: nat, upstream_id: orders, on_unknown_port: drop")}))
          .problems;
  ASSERT_EQ(problems.size(), 2u);  // the other one: drop is not supported yet
  EXPECT_THAT(listed(problems), testing::HasSubstr("on_unknown_port is not that of vips[0]"));
}

// O8
TEST(ConfigRelations, NameTheOptionToRaise) {
  const std::string two = "vips:\n" + vip("a", "203.0.113.1", 80) + vip("b", "203.0.113.1", 81);
  expect_mistakes({
      {std::string(kOrders) + "bpf: { max_vips: 1 }\n" + two, 5, 3, "vips",
       "found 2 VIPs; allowed: 1 (raise bpf.max_vips, at most 65535)"},
      {std::string(kOrders) + "bpf: { max_backends: 1 }\n" + two, 5, 3, "vips",
       "found 2 backends, counting each node once for every VIP that uses it; allowed: 1 (raise "
       "bpf.max_backends, at most 65535)"},
      {"version: 1\nbpf: { max_backends: 65536 }", 2, 22, "bpf.max_backends", "from 1 to 65535"},
  });
  expect_valid({std::string(kOrders) + "bpf: { max_vips: 2, max_backends: 2 }\n" + two,
                "version: 1\nbpf: { max_backends: 1 }\nupstreams:\n  - " + crowd("unused", 9)});
}

// C1
TEST(ConfigRelations, AreCheckedBesideOtherMistakes) {
  const auto problems =
      parse_config(vips({vip("a", "203.0.113.1", 80, "forward: l2, upstream_id: x, colour: y")}))
          .problems;
  EXPECT_EQ(problems.size(), 2u) << listed(problems);
}

}  // namespace
}  // namespace rampart::control
