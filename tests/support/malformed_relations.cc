// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "support/malformed.h"

namespace rampart::test {
namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

// A value that is right by itself, and wrong where it stands in the rich configuration.
struct Edit {
  const char* mistake;
  const char* place;
  const char* value;
  const char* path;
};

constexpr Edit kIds[] = {
    {"a VIP's upstream is nowhere", "/vips/0/upstream_id", R"("order")", "vips[0].upstream_id"},
    {"a service's upstream is nowhere", "/services/0/upstream_id", R"("o")",
     "services[0].upstream_id"},
    {"a route's upstream is nowhere", "/routes/1/upstream_id", R"("o")", "routes[1].upstream_id"},
    {"a split's upstream is nowhere", "/routes/3/traffic_split/0/upstream_id", R"("o")",
     "routes[3].traffic_split[0].upstream_id"},
    {"a route's service is nowhere", "/routes/0/service_id", R"("orders")", "routes[0].service_id"},
    {"an upstream's id twice", "/upstreams/1/id", R"("orders")", "upstreams[1].id"},
    {"a VIP's id twice", "/vips/1/id", R"("orders-tcp")", "vips[1].id"},
    {"a service's id twice", "/services/1/id", R"("api")", "services[1].id"},
    {"a route's id twice", "/routes/1/id", R"("r1")", "routes[1].id"},
    {"a VIP's scope twice", "/vips/1/id", R"("short")", "vips[1].id"},
    {"a service's scope twice", "/services/1/id", R"("short")", "services[1].id"},
    {"a route's scope twice", "/routes/2/id", R"("direct")", "routes[2].id"},
    {"an interface twice", "/interfaces/1/name", R"("eth0")", "interfaces[1]"},
    {"an embedded upstream with an id", "/vips/1/upstream/id", R"("x")", "vips[1].upstream.id"},
    {"a split's upstream with an id", "/routes/3/traffic_split/1/upstream/id", R"("x")",
     "routes[3].traffic_split[1].upstream.id"},
    {"upstream and upstream_id", "/vips/1/upstream_id", R"("orders")", "vips[1].upstream"},
    {"both in a split", "/routes/3/traffic_split/1/upstream_id", R"("orders")",
     "routes[3].traffic_split[1]"},
    {"neither in a split", "/routes/3/traffic_split/2", R"({ "weight": 1 })",
     "routes[3].traffic_split[2]"},
    {"neither in a VIP", "/vips/3",
     R"({ "id": "v", "address": "203.0.113.12", "port": 1, "forward": "nat" })", "vips[3]"},
    {"neither in a service", "/services/2", R"({ "id": "s" })", "services[2]"},
    {"a route that leads nowhere", "/routes/4", R"({ "id": "r5", "uri": "/x" })", "routes[4]"},
};

constexpr Edit kHttp[] = {
    {"a listener twice", "/http/listeners/2/port", "8443", "http.listeners[2]"},
    {"a listener without a certificate", "/http/listeners/2/tls", "[]", "http.listeners[2].tls"},
    {"a route that answers as another", "/routes/1",
     R"({ "id": "r2", "host": "SHOP.example", "uri": "/api/*", "methods": ["POST", "GET"],
          "upstream_id": "orders" })",
     "routes[1]"},
    {"no methods", "/routes/0/methods", "[]", "routes[0].methods"},
    {"a split without a weight", "/routes/3/traffic_split",
     R"([{ "upstream_id": "orders", "weight": 0 }])", "routes[3].traffic_split"},
    {"a split without a side", "/routes/3/traffic_split", "[]", "routes[3].traffic_split"},
    {"TLS without https", "/upstreams/0/scheme", R"("http")", "upstreams[0].tls"},
    {"statuses beside passive tcp", "/upstreams/0/checks/passive/type", R"("tcp")",
     "upstreams[0].checks.passive.healthy.http_statuses"},
    {"a status that is good and bad", "/upstreams/0/checks/passive/healthy/http_statuses",
     "[200, 500]", "upstreams[0].checks.passive.unhealthy.http_statuses"},
};

constexpr Edit kVips[] = {
    {"a VIP twice", "/vips/3",
     R"({ "id": "v", "address": "203.0.113.10", "port": 80, "forward": "nat",
          "upstream_id": "short" })",
     "vips[3]"},
    {"a VIP twice, its protocol said once", "/vips/3",
     R"({ "id": "v", "address": "203.0.113.11", "port": 80, "protocol": "tcp", "forward": "nat",
          "upstream_id": "short" })",
     "vips[3]"},
    {"more VIPs than fit", "/bpf/max_vips", "2", "vips"},
    {"more backends than fit", "/bpf/max_backends", "4", "vips"},
    {"table_size is no prime", "/vips/0/table_size", "65536", "vips[0].table_size"},
    {"half a swap", "/vips/0/refill_slots", "1", "vips[0].refill_slots"},
    {"another port than the VIP's in l2", "/vips/1/upstream/nodes/1/port", "81",
     "vips[1].upstream.nodes[1].port"},
    {"a node twice", "/upstreams/0/nodes/1/host", R"("10.0.0.10")", "upstreams[0].nodes[1]"},
    {"a node twice once it has the VIP's port", "/vips/1/upstream/nodes/1/host", R"("10.0.0.14")",
     "vips[1].upstream.nodes[0]"},
    {"nodes as a map with a port 0", "/upstreams/1/nodes/10.0.0.9:0", "1",
     R"(upstreams[1].nodes["10.0.0.9:0"])"},
    {"nodes as a map with a weight beyond", "/upstreams/1/nodes/10.0.0.9:1", "65536",
     R"(upstreams[1].nodes["10.0.0.9:1"])"},
    {"nodes as a map, one twice", "/upstreams/1/nodes/[10.0.0.13]", "1",
     R"(upstreams[1].nodes["[10.0.0.13]"])"},
    {"an IPv6 node behind a VIP", "/upstreams/2/nodes/0/host", R"("2001:db8::1")",
     "upstreams[2].nodes[0].host"},
};

constexpr Edit kUpstreams[] = {
    {"slow_start under both names", "/upstreams/2/slow_start",
     R"({ "slow_start_time_seconds": 1, "min_weight_percent": 1 })", "upstreams[2].warm_up_conf"},
    {"an interval beyond the window", "/upstreams/1/slow_start/interval", "301",
     "upstreams[1].slow_start.interval"},
    {"slow_start with two priorities", "/upstreams/0/slow_start",
     R"({ "slow_start_time_seconds": 1, "min_weight_percent": 1 })",
     "upstreams[0].nodes[1].priority"},
    {"slow_start in a split", "/routes/3/traffic_split/1/upstream/slow_start",
     R"({ "slow_start_time_seconds": 1, "min_weight_percent": 1 })",
     "routes[3].traffic_split[1].upstream.slow_start"},
    {"default_weight without kubernetes", "/upstreams/1/slow_start/default_weight", "1",
     "upstreams[1].slow_start.default_weight"},
    {"a key that hashes nothing", "/upstreams/1/hash_on", R"("cookie")", "upstreams[1].key"},
    {"a key beside 5tuple", "/upstreams/0/hash_on", R"("5tuple")", "upstreams[0].key"},
    {"nodes beside discovery", "/upstreams/0/discovery_type", R"("file")", "upstreams[0].nodes"},
    {"a service name without discovery", "/upstreams/0/service_name", R"("a/b:c")",
     "upstreams[0].service_name"},
    {"passive checks alone", "/upstreams/1/checks", R"({ "passive": {} })",
     "upstreams[1].checks.passive"},
    {"a status in both lists", "/upstreams/0/checks/active/unhealthy/http_statuses", "[500, 204]",
     "upstreams[0].checks.active.unhealthy.http_statuses"},
    {"an empty list of statuses", "/upstreams/0/checks/active/healthy/http_statuses", "[]",
     "upstreams[0].checks.active.healthy.http_statuses"},
    {"a header of the check itself", "/upstreams/0/checks/active/req_headers/0", R"("Host: a")",
     "upstreams[0].checks.active.req_headers[0]"},
    {"a header without a colon", "/upstreams/0/checks/active/req_headers/0", R"("X-Probe")",
     "upstreams[0].checks.active.req_headers[0]"},
    {"a path beside udp", "/upstreams/2/checks/active/http_path", R"("/")",
     "upstreams[2].checks.active.http_path"},
    {"a payload beside https", "/upstreams/0/checks/active/payload", R"("x")",
     "upstreams[0].checks.active.payload"},
    {"checks that have no port", "/upstreams/1/checks", R"({ "active": { "type": "tcp" } })",
     R"(upstreams[1].nodes["10.0.0.13"])"},
};

Malformed edited(const Edit& edit) {
  Json document = rich_configuration();
  document[Pointer(edit.place)] = Json::parse(edit.value);
  return {edit.mistake, document.dump(2) + "\n", edit.path};
}

// W4
Malformed crowded_table() {
  Json document = rich_configuration();
  Json nodes = Json::array();
  for (int i = 0; i < 252; ++i) {
    nodes.push_back({{"host", "10.9.0." + std::to_string(i + 1)}, {"port", 8080}});
  }
  document["upstreams"][0]["nodes"] = nodes;
  document["bpf"]["max_backends"] = 4096;
  return {"more nodes than slots", document.dump(2) + "\n", "vips[0].table_size"};
}

}  // namespace

std::vector<Malformed> malformed_relations() {
  std::vector<Malformed> all;
  for (const Edit& edit : kIds) all.push_back(edited(edit));
  for (const Edit& edit : kHttp) all.push_back(edited(edit));
  for (const Edit& edit : kVips) all.push_back(edited(edit));
  for (const Edit& edit : kUpstreams) all.push_back(edited(edit));
  all.push_back(crowded_table());
  return all;
}

}  // namespace rampart::test
