// SPDX-License-Identifier: Apache-2.0
#include "control/config_slow_start.h"

#include "unit/control/config_cases.h"

namespace rampart::control {
namespace {

constexpr char kBlock[] = "slow_start: { slow_start_time_seconds: 300, min_weight_percent: 1";

// Column of what follows kBlock and ", " in line 5.
constexpr int kColumn = 5 + static_cast<int>(sizeof kBlock) - 1 + 2;

std::string ramp_with(const std::string& member) {
  return upstream_with(std::string(kNodes) + "\n    " + kBlock + ", " + member + " }");
}

Mistake wrong(const std::string& member, const std::string& key, const std::string& text) {
  const int value = kColumn + static_cast<int>(key.size()) + 2;
  return {ramp_with(member), 6, value, "upstreams[0].slow_start." + key, text};
}

// S1
TEST(ConfigSlowStart, KnowsTheRangeOfEachField) {
  expect_mistakes({
      wrong("interval: 0", "interval", "an integer from 1 to 604800"),
      wrong("interval: 1.5", "interval", "an integer from 1 to 604800"),
      wrong("startup_grace_period_seconds: -1", "startup_grace_period_seconds", "from 0 to"),
      wrong("on_recovery: restart", "on_recovery", "allowed: resume, ramp"),
      {upstream_with(std::string(kNodes) + "\n    slow_start: { min_weight_percent: 1 }"), 6, 17,
       "upstreams[0].slow_start.slow_start_time_seconds", "missing; required: an integer from 1"},
      {upstream_with(std::string(kNodes) + "\n    slow_start: { slow_start_time_seconds: 1 }"), 6,
       17, "upstreams[0].slow_start.min_weight_percent", "missing; required: an integer from 1"},
  });
  for (const char* window : {"0", "604801", "-1", "1.0", "\"5\"", "5s", "99999999999999999999"}) {
    expect_mistakes({{upstream_with(std::string(kNodes) +
                                    "\n    slow_start: { min_weight_percent: 1,"
                                    " slow_start_time_seconds: " +
                                    window + " }"),
                      6, 67, "upstreams[0].slow_start.slow_start_time_seconds",
                      "an integer from 1 to 604800"}});
  }
}

// S1
TEST(ConfigSlowStart, WantsAnAggressionThatIsAnOrdinaryNumber) {
  for (const char* number : {"0", "-1", "1e308", "1e999", ".nan", "nan", "NaN", ".inf", "-.inf",
                             "inf", "0.009", "100.1", "0x1", "1.5x", "\"1\"", "[1]", "true"}) {
    expect_mistakes(
        {wrong(std::string("aggression: ") + number, "aggression", "a number from 0.01 to 100")});
  }
  expect_valid({ramp_with("aggression: 0.01"), ramp_with("aggression: 100"),
                ramp_with("aggression: 1e1"), ramp_with("aggression: 1")});
}

// S1
TEST(ConfigSlowStart, WantsAnIntervalNoLongerThanTheWindow) {
  expect_mistakes({wrong("interval: 301", "interval", "allowed: at most 300")});
  expect_valid({ramp_with("interval: 300")});
}

// S1
TEST(ConfigSlowStart, TakesADefaultWeightForKubernetesOnly) {
  expect_mistakes({wrong("default_weight: 5", "default_weight",
                         "without discovery_type: kubernetes; allowed: only there")});
  const auto problems = parse_config(upstream_with(std::string("discovery_type: kubernetes\n    ") +
                                                   kBlock + ", default_weight: 5 }"))
                            .problems;
  ASSERT_EQ(problems.size(), 1u);  // that there is no discovery yet
  EXPECT_EQ(problems[0].path, "upstreams[0].discovery_type");
}

// S1
TEST(ConfigSlowStart, RefusesADefaultWeightWithAnyOtherDiscovery) {
  const auto problems = parse_config(upstream_with(std::string("discovery_type: file\n    ") +
                                                   kBlock + ", default_weight: 5 }"))
                            .problems;
  ASSERT_EQ(problems.size(), 2u) << listed(problems);  // the first: there is no discovery yet
  EXPECT_EQ(problems[1].path, "upstreams[0].slow_start.default_weight");
  EXPECT_THAT(problems[1].text, testing::HasSubstr("without discovery_type: kubernetes"));
}

// S1.1
TEST(ConfigSlowStart, NamesAnUnknownFieldAndItsPlace) {
  expect_mistakes({{ramp_with("intervall: 2"), 6, kColumn, "upstreams[0].slow_start.intervall",
                    "unknown key \"intervall\" (did you mean \"interval\"?)"}});
}

// S1.2
TEST(ConfigSlowStart, ReadsTheDeprecatedNameWithAWarning) {
  const ParseResult result = parse_config(
      upstream_with(std::string(kNodes) +
                    "\n    warm_up_conf: { slow_start_time_seconds: 9, min_weight_percent: 2 }"));
  EXPECT_EQ(listed(result.problems), "");
  EXPECT_EQ(listed(result.warnings),
            "FILE:6:19: upstreams[0].warm_up_conf: deprecated; the key is slow_start now\n");
  ASSERT_TRUE(result.config.upstreams.at(0).slow_start.has_value());
  EXPECT_EQ(result.config.upstreams[0].slow_start->window, std::chrono::seconds(9));
}

// S1.2
TEST(ConfigSlowStart, RefusesBothNamesAtOnce) {
  expect_mistakes(
      {{upstream_with(std::string(kNodes) + "\n    " + kBlock + " }" +
                      "\n    warm_up_conf: { slow_start_time_seconds: 9, min_weight_percent: 2 }"),
        7, 19, "upstreams[0].warm_up_conf", "beside slow_start"}});
}

// S1.3
TEST(ConfigSlowStart, RefusesNodesOfDifferingPriority) {
  const std::string ramp = std::string("\n    ") + kBlock + " }";
  const auto nodes = [](const std::string& first, const std::string& second) {
    return "nodes: [{ host: 10.0.0.1" + first + " },\n      { host: 10.0.0.2" + second + " }]";
  };
  expect_mistakes({
      {upstream_with(nodes("", ", priority: 1") + ramp), 6, 35, "upstreams[0].nodes[1].priority",
       "found the priority 1 beside 0"},
      {upstream_with(nodes(", priority: 1", "") + ramp), 6, 7, "upstreams[0].nodes[1]",
       "found the priority 0 beside 1"},
  });
  expect_valid({upstream_with(nodes(", priority: 1", ", priority: 1") + ramp),
                upstream_with(nodes(", priority: 0", "") + ramp),
                upstream_with(nodes(", priority: 1", ", priority: 2"))});
}

// S1.4
TEST(ConfigSlowStart, IsAcceptedWhereverAnUpstreamIsEmbedded) {
  const std::string block =
      "upstream: { nodes: [], slow_start: { slow_start_time_seconds: 9, min_weight_percent: 1 } }";
  const ParseResult result = parse_config(
      "version: 1\n"
      "vips: [{ id: v, address: 203.0.113.1, port: 1, forward: nat, " +
      block +
      " }]\n"
      "services: [{ id: s, " +
      block +
      " }]\n"
      "routes: [{ id: r, uri: /, " +
      block + " }]\n");
  EXPECT_EQ(listed(result.problems), "");
  std::vector<ScopeId> scopes;
  for (const UpstreamConfig& upstream : result.config.upstreams) {
    if (upstream.slow_start) scopes.push_back(upstream.id);
  }
  EXPECT_THAT(scopes, testing::ElementsAre("v", "s", "r"));
}

// S1.5
TEST(ConfigSlowStart, IsRefusedInATrafficSplit) {
  for (const char* key : {"slow_start", "warm_up_conf"}) {
    expect_mistakes(
        {{"version: 1\nroutes:\n  - id: r\n    uri: /\n    traffic_split:\n"
          "      - upstream:\n          nodes: []\n          " +
              std::string(key) + ": { slow_start_time_seconds: 9, min_weight_percent: 1 }\n",
          8, 13 + static_cast<int>(std::string(key).size()),
          std::string("routes[0].traffic_split[0].upstream.") + key,
          "which has no scope of its own; allowed: upstream_id"}});
  }
  expect_valid({std::string("version: 1\nupstreams: [{ id: u, nodes: [], ") + kBlock +
                " } }]\nroutes: [{ id: r, uri: /, traffic_split: [{ upstream_id: u }] }]\n"});
}

}  // namespace
}  // namespace rampart::control
