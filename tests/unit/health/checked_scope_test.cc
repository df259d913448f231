// SPDX-License-Identifier: Apache-2.0
#include "health/checked_scope.h"

#include <gmock/gmock.h>

#include <map>

#include "control/desired.h"
#include "engine/engine.h"

namespace rampart::health {
namespace {

using control::Plane;
using engine::Health;

constexpr TimePoint kNow{std::chrono::seconds(1)};

control::Config config_with(const std::string& check) {
  const auto parsed = control::parse_config(
      "version: 1\n"
      "upstreams:\n"
      "  - id: orders\n"
      "    nodes: [{ host: 10.0.0.1, port: 8080 }, { host: 10.0.0.2 }]\n"
      "    checks: " +
      check +
      "\n"
      "  - { id: stock, nodes: [{ host: 10.0.0.3 }] }\n"
      "vips: [{ id: web, address: 203.0.113.1, port: 80, forward: nat, upstream_id: orders }]\n");
  EXPECT_TRUE(parsed.problems.empty());
  return parsed.config;
}

// An engine that was told `config`, and verdicts by its checks.
std::shared_ptr<const engine::Snapshot> weighed(engine::Engine& engine,
                                                const control::Config& config) {
  engine.set_desired(control::scopes_of(config), kNow);
  return engine.step(kNow).snapshot;
}

TEST(CheckedScopes, AreThoseWithAnActiveCheck) {
  engine::Engine engine({.process_start = kNow});
  const control::Config config = config_with("{ active: { type: tcp } }");
  const auto scopes = checked_scopes(config, Plane::kL4, *weighed(engine, config));
  ASSERT_EQ(scopes.size(), 1u);
  EXPECT_EQ(scopes[0].id, "orders");
  EXPECT_EQ(scopes[0].check, config.upstreams[0].active_check);
  EXPECT_EQ(scopes[0].check_hash, control::scopes_of(config)[0].check);
  EXPECT_TRUE(checked_scopes(config_with("{}"), Plane::kL4, *weighed(engine, config)).empty());
}

// H7
TEST(CheckedScopes, TargetsAreNodesAtTheirOwnAddressAndPort) {
  const auto ports = [](const std::string& check) {
    const auto scopes = checked_scopes(config_with(check), Plane::kL4, engine::Snapshot());
    std::vector<uint16_t> list;
    for (const Target& target : scopes.at(0).targets) list.push_back(target.port);
    return list;
  };
  EXPECT_THAT(ports("{ active: {} }"), testing::ElementsAre(8080, 80));
  EXPECT_THAT(ports("{ active: { port: 9 } }"), testing::ElementsAre(9, 9));
  const control::Config config = config_with("{ active: {} }");
  const Target node = checked_scopes(config, Plane::kL4, engine::Snapshot())[0].targets[0];
  EXPECT_EQ(node.identity, "10.0.0.1:8080");
  EXPECT_THAT(node.addresses, testing::ElementsAre(*IpAddress::parse("10.0.0.1")));
}

// H2, H3
TEST(CheckedScopes, StartFromTheVerdictsOfTheSameDefinition) {
  engine::Engine engine({.process_start = kNow});
  const control::Config config = config_with("{ active: { type: tcp } }");
  weighed(engine, config);
  engine.set_health("orders", "10.0.0.1:8080", Health::kUp, kNow);
  engine.set_health("orders", "10.0.0.2", Health::kDown, kNow);
  const auto snapshot = engine.step(kNow).snapshot;
  const auto same = checked_scopes(config, Plane::kL4, *snapshot)[0].targets;
  EXPECT_EQ(same[0].verdict, Health::kUp);
  EXPECT_EQ(same[1].verdict, Health::kDown);
  const auto other =
      checked_scopes(config_with("{ active: { type: udp } }"), Plane::kL4, *snapshot)[0].targets;
  EXPECT_EQ(other[0].verdict, Health::kUnknown);
  EXPECT_EQ(other[1].verdict, Health::kUnknown);
}

// H5, H7: each process checks what it uses, where it goes itself.
TEST(CheckedScopes, AreThoseOfThePlane) {
  const auto parsed = control::parse_config(
      "version: 1\n"
      "upstreams:\n"
      "  - { id: vip, nodes: [{ host: 10.0.0.1 }], checks: { active: {} } }\n"
      "  - { id: both, nodes: [{ host: 10.0.0.1 }], checks: { active: {} } }\n"
      "  - { id: route, nodes: [{ host: \"::1\" }], checks: { active: {} }, scheme: https }\n"
      "vips:\n"
      "  - { id: a, address: 203.0.113.1, port: 81, forward: nat, upstream_id: vip }\n"
      "  - { id: b, address: 203.0.113.1, port: 82, forward: nat, upstream_id: both }\n"
      "routes:\n"
      "  - { id: r, uri: /, upstream_id: both }\n"
      "  - { id: s, uri: /s, upstream_id: route }\n");
  ASSERT_TRUE(parsed.problems.empty());
  const auto found = [&](Plane plane) {
    std::map<std::string, uint16_t> ports;
    for (const CheckedScope& scope : checked_scopes(parsed.config, plane, engine::Snapshot())) {
      ports[scope.id] = scope.targets.at(0).port;
    }
    return ports;
  };
  using testing::ElementsAre;
  using testing::Pair;
  EXPECT_THAT(found(Plane::kL4), ElementsAre(Pair("both", 82), Pair("vip", 81)));
  EXPECT_THAT(found(Plane::kL7), ElementsAre(Pair("both", 80), Pair("route", 443)));
}

}  // namespace
}  // namespace rampart::health
