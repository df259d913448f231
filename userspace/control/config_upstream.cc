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

// What a header, cookie or variable is called is for layer 7; 5tuple and source_ip are for layer 4.
enum class HashSource { kFiveTuple, kSourceAddress, kNamed };

std::optional<rp_hash_on> read_hash_on(const Block& block) {
  const auto source =
      block.optional("hash_on").choice<HashSource>({{"5tuple", HashSource::kFiveTuple},
                                                    {"source_ip", HashSource::kSourceAddress},
                                                    {"vars", HashSource::kNamed},
                                                    {"header", HashSource::kNamed},
                                                    {"cookie", HashSource::kNamed}});
  const bool named = source == HashSource::kNamed;
  const Field key = named ? block.required("key") : block.optional("key");
  key.text(kAnyText);
  if (!source || named) return std::nullopt;
  if (key.present()) key.problem("found beside hash_on: 5tuple or source_ip; allowed: without one");
  return *source == HashSource::kFiveTuple ? RP_HASH_5TUPLE : RP_HASH_SOURCE_IP;
}

void check_layer_7(const Block& block) {
  block.optional("retries").integer(0, kMostRetries);
  block.optional("retry_timeout").number(0, kLongestTimeout);
  block.optional("retry_non_idempotent").boolean();
  check_timeout(block.optional("timeout"));
  block.optional("scheme").choice<int>({{"http", 0}, {"https", 1}});
  const Field tls = block.optional("tls");
  if (!tls.present()) return;
  const Block inner(tls, {"verify", "ca_file"});
  inner.optional("verify").boolean();
  inner.optional("ca_file").text(kAbsolutePath);
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
  upstream.hash_on = read_hash_on(block);
  conf.hash_on = upstream.hash_on.value_or(conf.hash_on);
  check_layer_7(block);
  conf.panic = read_panic(block);
  conf.active_check = read_checks(block.optional("checks"));
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

void check_inline_upstream(const Field& field) {
  const Block block = upstream_block(field);
  refuse_id(block, "an upstream inside a traffic_split rule is nobody else's");
  read_common(block, "");
  for (const Field& slow_start : {block.optional("slow_start"), block.optional("warm_up_conf")}) {
    if (!slow_start.present()) continue;
    slow_start.problem(
        "found in an upstream inside a traffic_split rule, which has no scope of its "
        "own; allowed: upstream_id of an upstream with slow_start");
  }
}

void check_timeout(const Field& field) {
  if (!field.present()) return;
  const Block block(field, {"connect", "send", "read"});
  for (const char* key : {"connect", "send", "read"}) {
    block.optional(key).number(kShortestTimeout, kLongestTimeout);
  }
}

}  // namespace rampart::control
