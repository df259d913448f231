// SPDX-License-Identifier: Apache-2.0
#include "control/config.h"

#include <netinet/in.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "control/config_document.h"
#include "unit/control/config_cases.h"

namespace rampart::control {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kExample[] = R"(version: 1
instance: edge
interfaces:
  - name: eth0
    mode: auto
    attach: link
  - { name: eth1, mode: native }
bpf:
  pin_path: /sys/fs/bpf/other
  max_vips: 16
  max_backends: 64
  max_flows: 4096
  new_flow_limit_per_cpu: 0
  hash_seed: 7
reconcile_interval: 5
watch: off
state_dir: /var/lib/other
control_socket: /run/other/edge.sock
upstreams:
  - id: orders
    type: chash
    hash_on: source_ip
    nodes:
      - { host: 10.0.0.10, port: 8080, weight: 100 }
      - { host: 10.0.0.11, priority: -1, weight: 0 }
  - id: short
    nodes: { "10.0.0.12:8081": 3, 10.0.0.13: 4 }
    slow_start:
      slow_start_time_seconds: 300
      min_weight_percent: 1
      interval: 2
      aggression: 0.5
      startup_grace_period_seconds: 9
      on_recovery: ramp
vips:
  - id: orders-tcp
    address: 203.0.113.10
    port: 80
    protocol: tcp
    forward: nat
    upstream_id: orders
    table_size: 251
    timeouts: { syn: 1, established: 2, closing: 3, udp: 4 }
    drain_timeout: 5
    on_no_backend: reset
  - id: dns
    address: 203.0.113.10
    port: 53
    protocol: udp
    forward: l2
    hash_on: 5tuple
    upstream: { nodes: [{ host: 10.0.0.14 }] }
http:
  listeners:
    - { address: 0.0.0.0, port: 8080 }
    - { address: "::", port: 8443, tls: { cert: /etc/cert.pem, key: /etc/key.pem } }
  workers: 2
services:
  - { id: api, upstream_id: orders }
routes:
  - { id: r1, host: shop.example, uri: /api/*, service_id: api }
  - { id: r2, uri: /*, upstream_id: orders, timeout: { connect: 3, send: 30, read: 30 } }
)";

IpAddress ip(const char* text) {
  return IpAddress::parse(text).value();
}

TEST(Config, HoldsTheValuesOfTheSystem) {
  const ParseResult result = parse_config(kExample);
  ASSERT_EQ(listed(result.problems), "");
  EXPECT_TRUE(result.warnings.empty());
  const Config& conf = result.config;
  EXPECT_EQ(conf.instance, "edge");
  EXPECT_THAT(conf.interfaces, ElementsAre(InterfaceConfig{"eth0", AttachMode::kAuto},
                                           InterfaceConfig{"eth1", AttachMode::kNative}));
  EXPECT_EQ(conf.bpf, (BpfConfig{"/sys/fs/bpf/other", 16, 64, 4096, 0, 7}));
  EXPECT_EQ(conf.reconcile_interval, seconds(5));
  EXPECT_EQ(conf.state_dir, "/var/lib/other");
  EXPECT_EQ(conf.control_socket, "/run/other/edge.sock");
}

TEST(Config, HoldsStandAloneAndEmbeddedUpstreams) {
  const Config conf = parse_config(kExample).config;
  ASSERT_EQ(conf.upstreams.size(), 3u);
  const UpstreamConfig orders{"orders",
                              RP_CHASH,
                              {{ip("10.0.0.10"), 8080, 100, 0}, {ip("10.0.0.11"), 0, 0, -1}},
                              std::nullopt,
                              RP_HASH_SOURCE_IP};
  const UpstreamConfig short_form{
      "short",
      RP_ROUNDROBIN,
      {{ip("10.0.0.12"), 8081, 3, 0}, {ip("10.0.0.13"), 0, 4, 0}},
      engine::SlowStart{seconds(300), 1, seconds(2), 0.5, seconds(9), engine::OnRecovery::kRamp},
      RP_HASH_5TUPLE};
  const UpstreamConfig dns{
      "dns", RP_ROUNDROBIN, {{ip("10.0.0.14"), 0, 1, 0}}, std::nullopt, RP_HASH_5TUPLE};
  EXPECT_EQ(conf.upstreams[0], orders);
  EXPECT_EQ(conf.upstreams[1], short_form);
  EXPECT_EQ(conf.upstreams[2], dns);
}

TEST(Config, HoldsVips) {
  const Config conf = parse_config(kExample).config;
  ASSERT_EQ(conf.vips.size(), 2u);
  const VipConfig orders{.id = "orders-tcp",
                         .address = ip("203.0.113.10"),
                         .port = 80,
                         .protocol = IPPROTO_TCP,
                         .forward = RP_FORWARD_NAT,
                         .scope = "orders",
                         .table_size = 251,
                         .hash_on = RP_HASH_SOURCE_IP,  // its upstream's
                         .on_no_backend = RP_NO_BACKEND_RESET,
                         .timeouts = {seconds(1), seconds(2), seconds(3), seconds(4)},
                         .drain_timeout = seconds(5)};
  const VipConfig dns{.id = "dns",
                      .address = ip("203.0.113.10"),
                      .port = 53,
                      .protocol = IPPROTO_UDP,
                      .forward = RP_FORWARD_L2,
                      .scope = "dns",
                      .table_size = RP_DEFAULT_TABLE_SIZE,
                      .hash_on = RP_HASH_5TUPLE,
                      .on_no_backend = RP_NO_BACKEND_DROP,
                      .timeouts = {},
                      .drain_timeout = seconds(300)};
  EXPECT_EQ(conf.vips[0], orders);
  EXPECT_EQ(conf.vips[1], dns);
}

TEST(Config, NeedsNothingButItsVersion) {
  const ParseResult result = parse_config("version: 1");
  EXPECT_EQ(listed(result.problems), "");
  EXPECT_EQ(result.config.control_socket, "/run/rampart/default.sock");
}

TEST(Config, NamesItsSocketAfterTheInstance) {
  EXPECT_EQ(parse_config("{version: 1, instance: b-2}").config.control_socket,
            "/run/rampart/b-2.sock");
}

// C1
TEST(Config, MayBeJsonWithTabs) {
  const ParseResult result = parse_config(
      "{\n\t\"version\": 1,\n\t\"vips\": [\n\t\t{\"id\": \"web\", \"address\": \"203.0.113.10\",\n"
      "\t\t \"port\": 80, \"forward\": \"nat\",\n"
      "\t\t \"upstream\": {\"nodes\": {\"10.0.0.1:80\": 1}}}\n\t]\n}\n");
  EXPECT_EQ(listed(result.problems), "");
  ASSERT_EQ(result.config.vips.size(), 1u);
  EXPECT_EQ(result.config.upstreams.at(0).nodes.at(0).identity(), "10.0.0.1:80");
}

// C1
TEST(Config, NamesFiveMistakesOfOneFileInItsOrder) {
  const ParseResult result = parse_config(
      "version: 1\n"
      "interfaces:\n"
      "  - { name: eth0, mode: turbo }\n"
      "upstreams:\n"
      "  - id: web\n"
      "    nodes: [{ host: 10.0.0.1, port: 80, weight: 70000 }]\n"
      "vips:\n"
      "  - id: web\n"
      "    address: 203.0.113.1000\n"
      "    port: 80\n"
      "    forward: nat\n"
      "    colour: blue\n"
      "    upstream_id: nowhere\n");
  std::vector<std::string> lines;
  for (const Problem& problem : result.problems) lines.push_back(to_string(problem, "a.yaml"));
  EXPECT_THAT(
      lines, ElementsAre(
                 "a.yaml:3:25: interfaces[0].mode: found \"turbo\"; allowed: auto, native, generic",
                 "a.yaml:6:49: upstreams[0].nodes[0].weight: found \"70000\"; "
                 "allowed: an integer from 0 to 65535",
                 "a.yaml:9:14: vips[0].address: found \"203.0.113.1000\"; allowed: an IPv4 address",
                 StartsWith("a.yaml:12:5: vips[0].colour: unknown key \"colour\"; allowed: id, "),
                 "a.yaml:13:18: vips[0].upstream_id: found \"nowhere\", which names no upstream; "
                 "allowed: the id of an upstream"));
}

// C2
TEST(Config, NamesUnknownKeysAndWhatTheyMayHaveMeant) {
  expect_mistakes({
      {"version: 1\nvip: []", 2, 1, "vip", "did you mean \"vips\"?); allowed: version, instance, "},
      {"version: 1\nbpf: { max_flow: 1 }", 2, 8, "bpf.max_flow", "did you mean \"max_flows\"?"},
      {whole_vip_with("proto: udp"), 7, 5, "vips[0].proto", "did you mean \"protocol\"?"},
      {"version: 1\nbpf: { elephant: 1 }", 2, 8, "bpf.elephant",
       "\"elephant\"; allowed: pin_path,"},
      {"version: 1\nbpf: { \"a\\nb\": 1 }", 2, 8, R"(bpf["a\x0ab"])", R"(unknown key "a\x0ab")"},
  });
}

TEST(Config, TellsOfAFileThatCannotBeRead) {
  for (const char* path : {"/nonexistent/rampart.yaml", "/"}) {
    const ParseResult result = load_config(path);
    ASSERT_EQ(result.problems.size(), 1u);
    EXPECT_EQ(result.problems[0].line, 0);
    EXPECT_THAT(to_string(result.problems[0], path),
                StartsWith(std::string(path) + ":0:0: document: cannot be "));
  }
}

// C6
TEST(Config, TellsOfAFileThatIsTooLarge) {
  const std::string path = testing::TempDir() + "rampart-config-large-" + std::to_string(getpid());
  std::ofstream(path) << std::string(kMaxDocumentBytes + 1, '#');
  const ParseResult result = load_config(path);
  std::remove(path.c_str());
  EXPECT_EQ(listed(result.problems), "FILE:1:1: document: is larger than allowed: 16 MiB\n");
}

TEST(Config, LoadsAFile) {
  const std::string path = testing::TempDir() + "rampart-config-test-" + std::to_string(getpid());
  std::ofstream(path) << "version: 1\ninstance: from-a-file\n";
  const ParseResult result = load_config(path);
  std::remove(path.c_str());
  EXPECT_EQ(listed(result.problems), "");
  EXPECT_EQ(result.config.instance, "from-a-file");
}

}  // namespace
}  // namespace rampart::control
