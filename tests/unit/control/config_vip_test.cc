// SPDX-License-Identifier: Apache-2.0
#include "control/config_vip.h"

#include <netinet/in.h>

#include "unit/control/config_cases.h"

namespace rampart::control {
namespace {

Mistake wrong(const std::string& line, int column, const std::string& path,
              const std::string& text) {
  return {whole_vip_with(line), 7, column, "vips[0]." + path, text};
}

// The line is one of those that every VIP must have.
Mistake wrong_service(const std::string& address, const std::string& port,
                      const std::string& forward, int line, const std::string& key,
                      const std::string& text) {
  const std::string document =
      vip_with("address: " + address) + "    port: " + port + "\n    forward: " + forward + "\n";
  return {document, line, 7 + static_cast<int>(key.size()), "vips[0]." + key, text};
}

TEST(ConfigVip, HasDefaults) {
  const ParseResult result = parse_config(whole_vip_with("protocol: tcp"));
  ASSERT_EQ(listed(result.problems), "");
  EXPECT_EQ(parse_config(whole_vip_with("")).config.vips, result.config.vips);
  EXPECT_EQ(result.config.vips[0].protocol, IPPROTO_TCP);
}

// C2
TEST(ConfigVip, ChecksWhatItMustHave) {
  const std::string not_yet = "not supported by this version; allowed: ";
  expect_mistakes({
      wrong_service("203.0.113.256", "80", "nat", 7, "address", "allowed: an IPv4 address"),
      wrong_service("224.0.0.1", "80", "nat", 7, "address", "of one host"),
      wrong_service("\"2001:db8::1\"", "80", "l2", 7, "address", not_yet + "an IPv4 address"),
      wrong_service("203.0.113.1", "65536", "nat", 8, "port", "an integer from 1 to 65535"),
      wrong_service("203.0.113.1", "0", "l2", 8, "port", not_yet + "an integer from 1"),
      wrong_service("203.0.113.1", "80", "ipip", 9, "forward", not_yet + "l2, nat"),
      wrong_service("203.0.113.1", "80", "gue", 9, "forward", not_yet + "l2, nat"),
      wrong_service("203.0.113.1", "80", "full_nat", 9, "forward", not_yet + "l2, nat"),
      wrong_service("203.0.113.1", "80", "dsr", 9, "forward", "found \"dsr\"; allowed: l2, nat"),
      {vip_with("address: 203.0.113.1") + "    port: 80\n", 5, 5, "vips[0].forward",
       "missing; required: l2, nat"},
      {vip_with("address: 203.0.113.1") + "    forward: nat\n", 5, 5, "vips[0].port", "missing"},
      {vip_with("port: 80") + "    forward: nat\n", 5, 5, "vips[0].address", "missing"},
  });
}

// C2
TEST(ConfigVip, ChecksWhatItMayHave) {
  expect_mistakes({
      wrong("protocol: sctp", 15, "protocol", "allowed: tcp, udp"),
      wrong("hash_on: header", 14, "hash_on", "allowed: 5tuple, source_ip"),
      wrong("on_no_backend: panic", 20, "on_no_backend", "allowed: drop, pass, reset"),
      wrong("drain_timeout: -1", 20, "drain_timeout", "an integer from 0"),
      wrong("timeouts: { syn: 0 }", 22, "timeouts.syn", "an integer from 1"),
      wrong("timeouts: { sin: 1 }", 17, "timeouts.sin", "did you mean \"syn\"?"),
  });
}

// W5
TEST(ConfigVip, WantsAPrimeTableSizeInRange) {
  expect_mistakes({
      wrong("table_size: 65536", 17, "table_size", "a prime from 251 to 1048573, such as 65537"),
      wrong("table_size: 253", 17, "table_size", "a prime"),
      wrong("table_size: 250", 17, "table_size", "from 251 to 1048573"),
      wrong("table_size: 241", 17, "table_size", "from 251 to 1048573"),
      wrong("table_size: 1048574", 17, "table_size", "from 251 to 1048573"),
      wrong("table_size: 1048572", 17, "table_size", "such as 1048573"),
  });
  expect_valid({whole_vip_with("table_size: 251"), whole_vip_with("table_size: 1048573")});
}

TEST(ConfigVip, ReadsHowManySlotsASecondAreRefilled) {  // W7
  const auto refill = [](const std::string& line) {
    return parse_config(whole_vip_with(line)).config.vips.at(0).refill_slots;
  };
  EXPECT_EQ(refill("port: 80"), 64u);
  EXPECT_EQ(refill("refill_slots: 0"), 0u);
  EXPECT_EQ(refill("refill_slots: 2"), 2u);
  expect_mistakes({
      wrong("refill_slots: 1", 19, "refill_slots", "found \"1\"; allowed: 0 (never) or 2…1048573"),
  });
}

TEST(ConfigVip, ReadsWhatBecomesOfTheFlowsOfANodeThatIsDown) {  // F3
  const auto on_down = [](const std::string& line) {
    return parse_config(whole_vip_with(line)).config.vips.at(0).on_down;
  };
  EXPECT_EQ(on_down("port: 80"), OnDown::kStay);
  EXPECT_EQ(on_down("on_down: stay"), OnDown::kStay);
  EXPECT_EQ(on_down("on_down: move"), OnDown::kMove);
  expect_mistakes({
      wrong("on_down: drop", 14, "on_down", "found \"drop\"; allowed: stay, move"),
  });
}

TEST(ConfigVip, RefusesWhatIsToCome) {
  const std::string not_yet = "not supported by this version; allowed: ";
  expect_mistakes({
      wrong("on_unknown_port: drop", 22, "on_unknown_port", not_yet + "pass"),
      wrong("on_unknown_port: reset", 22, "on_unknown_port", "found \"reset\"; allowed: pass"),
      wrong("encap: { gue_port: 6080 }", 12, "encap", not_yet),
      wrong("full_nat: { sources: [10.0.0.1], ports: 20000-60999 }", 15, "full_nat", not_yet),
      wrong("source_ranges: [10.0.0.0/8]", 20, "source_ranges", not_yet),
  });
  expect_valid({whole_vip_with("on_unknown_port: pass")});
}

TEST(ConfigVip, ChecksTheShapeOfWhatIsToCome) {
  const auto problems =
      parse_config(whole_vip_with("full_nat: { sources: [ten], ports: 9-1 }")).problems;
  ASSERT_EQ(problems.size(), 3u) << listed(problems);
  EXPECT_EQ(problems[1].path, "vips[0].full_nat.sources[0]");
  EXPECT_EQ(problems[2].path, "vips[0].full_nat.ports");
}

// S1.4
TEST(ConfigVip, LendsItsIdToAnEmbeddedUpstream) {
  const std::string start =
      "version: 1\nvips:\n  - { id: web, address: 203.0.113.1, port: 80, forward: nat,\n      ";
  const ParseResult result = parse_config(start + "upstream: { nodes: [] } }");
  ASSERT_EQ(listed(result.problems), "");
  EXPECT_EQ(result.config.upstreams.at(0).id, "web");
  EXPECT_EQ(result.config.vips.at(0).scope, "web");
  expect_mistakes({{start + "upstream: { id: a, nodes: [] } }", 4, 23, "vips[0].upstream.id",
                    "allowed: none"}});
}

// C2
TEST(ConfigVip, HasOneUpstream) {
  expect_mistakes({
      wrong("upstream: { nodes: [] }", 15, "upstream", "beside upstream_id; allowed: one of them"),
      {"version: 1\nvips:\n  - { id: web, address: 203.0.113.1, port: 80, forward: nat }", 3, 5,
       "vips[0]", "neither upstream_id nor upstream"},
  });
}

}  // namespace
}  // namespace rampart::control
