// SPDX-License-Identifier: Apache-2.0
#include "support/config_reference.h"
#include "support/malformed.h"

namespace rampart::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kRich[] = R"({
  "version": 1,
  "instance": "edge",
  "interfaces": [
    { "name": "eth0", "mode": "auto", "attach": "link" },
    { "name": "eth1", "mode": "generic" }
  ],
  "bpf": {
    "pin_path": "/sys/fs/bpf/other", "max_vips": 16, "max_backends": 64, "max_flows": 4096,
    "new_flow_limit_per_cpu": 1000, "hash_seed": 7
  },
  "reconcile_interval": 5,
  "watch": "off",
  "state_dir": "/var/lib/other",
  "control_socket": "/run/other/edge.sock",
  "upstreams": [
    {
      "id": "orders", "type": "chash", "hash_on": "header", "key": "x-user",
      "nodes": [
        { "host": "10.0.0.10", "port": 8080, "weight": 9, "priority": 2, "metadata": { "a": [1] } },
        { "host": "10.0.0.11", "port": 8080, "weight": 0, "priority": -1 }
      ],
      "panic_threshold_percent": 50, "fail_closed": true,
      "retries": 2, "retry_timeout": 1.5, "retry_non_idempotent": false,
      "timeout": { "connect": 3, "send": 30, "read": 0.5 },
      "scheme": "https", "tls": { "verify": true, "ca_file": "/etc/ca.pem" },
      "checks": { "active": {
        "type": "https", "timeout": 0.5, "concurrency": 4, "host": "shop.example", "port": 8443,
        "http_path": "/healthz", "https_verify_certificate": false, "req_headers": ["X-Probe: 1"],
        "healthy": { "interval": 2, "successes": 1, "http_statuses": [200, 204] },
        "unhealthy": {
          "interval": 3, "tcp_failures": 2, "http_failures": 4, "timeouts": 0,
          "http_statuses": [500]
        }
      }, "passive": {
        "type": "https", "healthy": { "successes": 3, "http_statuses": [200] },
        "unhealthy": {
          "tcp_failures": 1, "http_failures": 2, "timeouts": 3, "http_statuses": [500, 503]
        }
      } }
    },
    {
      "id": "short", "nodes": { "10.0.0.12:8081": 3, "10.0.0.13": 4 },
      "slow_start": {
        "slow_start_time_seconds": 300, "min_weight_percent": 1, "interval": 2, "aggression": 0.5,
        "startup_grace_period_seconds": 9, "on_recovery": "ramp"
      }
    },
    {
      "id": "names", "type": "least_conn", "nodes": [{ "host": "10.0.0.53", "port": 53 }],
      "warm_up_conf": { "slow_start_time_seconds": 60, "min_weight_percent": 5 },
      "checks": { "active": { "type": "udp", "payload": "ping", "expected_prefix": "pong" } }
    }
  ],
  "vips": [
    {
      "id": "orders-tcp", "address": "203.0.113.10", "port": 80, "protocol": "tcp",
      "forward": "nat", "upstream_id": "orders", "table_size": 251, "hash_on": "source_ip",
      "timeouts": { "syn": 1, "established": 2, "closing": 3, "udp": 4 },
      "drain_timeout": 5, "on_no_backend": "reset", "on_unknown_port": "pass", "on_down": "move",
      "refill_slots": 2
    },
    {
      "id": "direct", "address": "203.0.113.11", "port": 80, "forward": "l2",
      "upstream": { "nodes": [{ "host": "10.0.0.14" }, { "host": "10.0.0.15", "port": 80 }] }
    },
    {
      "id": "dns", "address": "203.0.113.10", "port": 53, "protocol": "udp", "forward": "nat",
      "upstream_id": "names"
    }
  ],
  "http": {
    "listeners": [
      { "address": "0.0.0.0", "port": 8080, "proxy_protocol": false, "debug_headers": true },
      { "address": "::", "port": 8443, "tls": { "cert": "/etc/c.pem", "key": "/etc/k.pem" } },
      { "address": "::", "port": 8444, "tls": [{ "cert": "/etc/c.pem", "key": "/etc/k.pem" }] }
    ],
    "workers": 2, "api": "127.0.0.1:9465", "drain_timeout": 30, "trusted_proxies": ["10.0.0.0/8"],
    "debug_headers": false,
    "access_log": { "path": "/var/log/rampart/access.log", "format": "json" }
  },
  "services": [
    { "id": "api", "upstream_id": "orders" },
    { "id": "own", "upstream": { "nodes": { "10.0.0.16:80": 1 } } }
  ],
  "routes": [
    {
      "id": "r1", "host": "shop.example", "uri": "/api/*", "methods": ["GET"],
      "service_id": "api", "timeout": { "connect": 3, "send": 30, "read": 30 }, "max_body": 1048576
    },
    { "id": "r2", "uri": "/*", "upstream_id": "orders" },
    { "id": "r3", "host": "*.shop.example", "uri": "/own",
      "upstream": { "nodes": [{ "host": "2001:db8::17" }] } },
    {
      "id": "r4", "uri": "/split",
      "traffic_split": [
        { "upstream_id": "orders", "weight": 9 },
        { "upstream": { "nodes": [{ "host": "10.0.0.18" }] }, "weight": 1 }
      ]
    }
  ]
})";

// "/vips/0/port" → "vips[].port"; what an embedded upstream holds is described with the upstreams.
std::string key_of(const std::string& pointer) {
  std::string key;
  for (const std::string& part : split(pointer.substr(1), "/")) {
    const bool index = part.find_first_not_of("0123456789") == std::string::npos;
    key += index ? "[]" : (key.empty() ? "" : ".") + part;
  }
  const std::string embedded = ".upstream.";
  const size_t at = key.rfind(embedded);
  if (at != std::string::npos) key = "upstreams[]." + key.substr(at + embedded.size());
  key = replaced(key, "warm_up_conf.", "slow_start.");
  return replaced(key, "tls[].", "tls.");
}

}  // namespace

Json rich_configuration() {
  return Json::parse(kRich);
}

std::map<std::string, Json::json_pointer> places_in_rich() {
  std::map<std::string, Json::json_pointer> places;
  const Json flat = rich_configuration().flatten();
  for (const auto& [pointer, value] : flat.items()) {
    // Only leaves are listed: what is above them ends where one of their parts does.
    for (size_t end = 0; end != std::string::npos;) {
      end = pointer.find('/', end + 1);
      const std::string place = pointer.substr(0, end);
      places.emplace(key_of(place), Json::json_pointer(place));
    }
  }
  return places;
}

}  // namespace rampart::test
