// SPDX-License-Identifier: Apache-2.0
#include "control/config_upstream.h"

#include <string>
#include <utility>

#include "control/config_checks.h"
#include "control/config_discovery.h"
#include "control/config_slow_start.h"

namespace rampart::control {
namespace {

constexpr int64_t kMostRetries = 65535;
constexpr double kLongestTimeout = 86400;
constexpr double kShortestTimeout = 0.001;

Block upstream_block(const Field& field) {
  return Block(field, {"id", "type", "nodes", "slow_start", "warm_up_conf", "checks",
                       "discovery_type", "service_name", "discovery_args", "hash_on", "key",
                       "retries", "retry_timeout", "retry_non_idempotent",
                       "panic_threshold_percent", "fail_closed", "timeout", "scheme", "tls"});
}

// S1.3: a tier below the first would never warm up against the one above it.
void check_one_priority(const ReadUpstream& upstream) {
  if (!upstream.config.slow_start || upstream.nodes.empty()) return;
  const int first = upstream.nodes.front().config.priority;
  for (const ReadNode& node : upstream.nodes) {
    if (node.config.priority == first) continue;
    node.priority.problem("found the priority " + std::to_string(node.config.priority) +
                          " beside " + std::to_string(first) +
                          " in an upstream with slow_start; allowed: one priority for all nodes");
  }
}

// What `chash` hashes: 5tuple and source_ip are for both planes, what has a name for layer 7.
struct HashSource {
  std::optional<rp_hash_on> packet;
  std::optional<HttpHashOn> request;
  std::string key;
};

HashSource read_hash_on(const Block& block) {
  const auto source = block.optional("hash_on").choice<HashSource>(
      {{"5tuple", HashSource{.packet = RP_HASH_5TUPLE, .request = std::nullopt, .key = ""}},
       {"source_ip", HashSource{.packet = RP_HASH_SOURCE_IP, .request = std::nullopt, .key = ""}},
       {"vars", HashSource{.packet = std::nullopt, .request = HttpHashOn::kVars, .key = ""}},
       {"header", HashSource{.packet = std::nullopt, .request = HttpHashOn::kHeader, .key = ""}},
       {"cookie", HashSource{.packet = std::nullopt, .request = HttpHashOn::kCookie, .key = ""}}});
  const bool named = source && source->request;
  const Field key = named ? block.required("key") : block.optional("key");
  const std::string name = key.text(kAnyText).value_or("");
  if (!source) return {};
  if (!named && key.present()) {
    key.problem("found beside hash_on: 5tuple or source_ip; allowed: without one");
  }
  return {.packet = source->packet, .request = source->request, .key = named ? name : ""};
}

HttpUpstreamConfig read_layer_7(const Block& block) {
  HttpUpstreamConfig conf;
  const auto retries = block.optional("retries").integer(0, kMostRetries);
  if (retries) conf.retries = static_cast<uint32_t>(*retries);
  conf.retry_timeout =
      block.optional("retry_timeout").duration(0, kLongestTimeout).value_or(conf.retry_timeout);
  conf.retry_non_idempotent =
      block.optional("retry_non_idempotent").boolean().value_or(conf.retry_non_idempotent);
  conf.timeouts = read_http_timeouts(block.optional("timeout"));
  const Field scheme = block.optional("scheme");
  const auto https = scheme.choice<bool>({{"http", false}, {"https", true}});
  conf.https = https.value_or(conf.https);
  const Field tls = block.optional("tls");
  if (!tls.present()) return conf;
  const Block inner(tls, {"verify", "ca_file"});
  conf.verify = inner.optional("verify").boolean().value_or(conf.verify);
  conf.ca_file = inner.optional("ca_file").text(kAbsolutePath).value_or(conf.ca_file);
  const bool wrong_scheme = scheme.present() && !https;
  if (!conf.https && !wrong_scheme) {
    tls.problem("found without scheme: https; allowed: with it, or none");
  }
  return conf;
}

engine::PanicPolicy read_panic(const Block& block) {
  const auto threshold = block.optional("panic_threshold_percent").integer(0, 100);
  return {.threshold_percent = static_cast<uint32_t>(threshold.value_or(0)),
          .fail_closed = block.optional("fail_closed").boolean().value_or(false)};
}

ReadUpstream read_common(const Block& block, const ScopeId& scope) {
  ReadUpstream upstream{.config = UpstreamConfig(),
                        .hash_on = std::nullopt,
                        .field = block.field(),
                        .id = block.optional("id"),
                        .nodes = {}};
  UpstreamConfig& conf = upstream.config;
  conf.id = scope;
  conf.algorithm =
      block.optional("type")
          .choice<rp_algorithm>(
              {{"roundrobin", RP_ROUNDROBIN}, {"chash", RP_CHASH}, {"least_conn", RP_LEAST_CONN}})
          .value_or(conf.algorithm);
  const bool discovered = check_discovered(block);
  const Field nodes = discovered ? block.optional("nodes") : block.required("nodes");
  upstream.nodes = read_nodes(nodes);
  if (discovered && nodes.present())
    nodes.problem("found beside discovery_type; allowed: one of them");
  for (const ReadNode& node : upstream.nodes) conf.nodes.push_back(node.config);
  conf.slow_start = read_slow_start(block);
  check_one_priority(upstream);
  HashSource source = read_hash_on(block);
  upstream.hash_on = source.packet;
  conf.hash_on = source.packet.value_or(conf.hash_on);
  conf.http = read_layer_7(block);
  conf.http.hash_on = source.request;
  conf.http.key = std::move(source.key);
  conf.panic = read_panic(block);
  ReadChecks checks = read_checks(block.optional("checks"));
  conf.active_check = std::move(checks.active);
  conf.passive_check = std::move(checks.passive);
  return upstream;
}

void refuse_id(const Block& block, const std::string& why) {
  const Field id = block.optional("id");
  if (id.present()) id.problem("found an id; allowed: none, " + why);
}

}  // namespace

ReadUpstream read_upstream(const Field& field) {
  const Block block = upstream_block(field);
  return read_common(block, block.required("id").text(kId).value_or(""));
}

ReadUpstream read_embedded_upstream(const Field& field, const ScopeId& scope) {
  const Block block = upstream_block(field);
  refuse_id(block, "an embedded upstream has that of what embeds it");
  return read_common(block, scope);
}

ReadUpstream read_inline_upstream(const Field& field, const ScopeId& scope) {
  const Block block = upstream_block(field);
  refuse_id(block, "an upstream inside a traffic_split rule is nobody else's");
  for (const Field& slow_start : {block.optional("slow_start"), block.optional("warm_up_conf")}) {
    if (!slow_start.present()) continue;
    slow_start.problem(
        "found in an upstream inside a traffic_split rule, which has no scope of its "
        "own; allowed: upstream_id of an upstream with slow_start");
  }
  return read_common(block, scope);
}

HttpTimeouts read_http_timeouts(const Field& field) {
  HttpTimeouts conf;
  if (!field.present()) return conf;
  const Block block(field, {"connect", "send", "read"});
  const auto read = [&block](const char* key) {
    return block.optional(key).duration(kShortestTimeout, kLongestTimeout);
  };
  conf.connect = read("connect");
  conf.send = read("send");
  conf.read = read("read");
  return conf;
}

}  // namespace rampart::control
