// SPDX-License-Identifier: Apache-2.0
#include "http/publisher.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "base/check.h"
#include "base/hash.h"
#include "base/log.h"
#include "control/check_ports.h"
#include "control/planes.h"
#include "engine/picker_node.h"
#include "proxy/endpoint.h"
#include "proxy/hash_key.h"

namespace rampart::http {
namespace {

constexpr uint32_t kRefillSlots = 64;  // a second (W7)
constexpr Duration kRefillPeriod = std::chrono::seconds(1);

engine::Algorithm algorithm_of(rp_algorithm algorithm) {
  switch (algorithm) {
    case RP_LEAST_CONN:
      return engine::Algorithm::kLeastConn;
    case RP_CHASH:
      return engine::Algorithm::kChash;
    default:
      return engine::Algorithm::kRoundRobin;
  }
}

proxy::HashSource hash_source_of(const control::UpstreamConfig& upstream) {
  if (!upstream.http.hash_on) {
    return upstream.hash_on == RP_HASH_SOURCE_IP ? proxy::HashSource::kClientAddress
                                                 : proxy::HashSource::kClientAddressAndPort;
  }
  switch (*upstream.http.hash_on) {
    case control::HttpHashOn::kHeader:
      return proxy::HashSource::kHeader;
    case control::HttpHashOn::kCookie:
      return proxy::HashSource::kCookie;
    case control::HttpHashOn::kVars:
      break;
  }
  return proxy::HashSource::kVariable;
}

proxy::Timeouts timeouts_of(const control::HttpTimeouts& route,
                            const control::HttpTimeouts& upstream) {
  const auto first = [](const auto& own, const auto& inherited, Duration otherwise) {
    return own ? *own : inherited.value_or(otherwise);
  };
  return {.connect = first(route.connect, upstream.connect, control::kConnectTimeout),
          .send = first(route.send, upstream.send, control::kSendTimeout),
          .read = first(route.read, upstream.read, control::kReadTimeout)};
}

}  // namespace

Result<void> Publisher::draft_upstream(Draft& draft, const control::UpstreamConfig& upstream,
                                       uint32_t hash_seed) const {
  const control::HttpUpstreamConfig& http = upstream.http;
  if (http.hash_on == control::HttpHashOn::kVars && !proxy::is_variable(http.key)) {
    return Error{Code::kInvalidConfig,
                 "upstream " + upstream.id + ": key: found \"" + http.key +
                     "\", which is no variable; allowed: " + proxy::kVariableNames};
  }
  std::shared_ptr<const proxy::TlsClient> tls;
  if (http.https) {
    std::shared_ptr<const proxy::TlsClient>& known = draft.tls[{http.verify, http.ca_file}];
    if (!known) {
      auto made = proxy::TlsClient::make(
          http.verify ? proxy::TlsClient::Verify::kYes : proxy::TlsClient::Verify::kNo,
          http.ca_file);
      if (!made) {
        return Error{Code::kInvalidConfig,
                     "upstream " + upstream.id + ": tls.ca_file: " + made.error().text};
      }
      known = std::move(*made);
    }
    tls = known;
  }
  draft.indices.emplace(upstream.id, static_cast<uint32_t>(draft.serving->upstreams.size()));
  draft.timeouts.emplace(upstream.id, http.timeouts);
  draft.serving->upstreams.push_back({.id = upstream.id,
                                      .retries = http.retries,
                                      .retry_timeout = http.retry_timeout,
                                      .retry_non_idempotent = http.retry_non_idempotent,
                                      .hash_on = hash_source_of(upstream),
                                      .key = http.key,
                                      .tls = std::move(tls),
                                      .observed = upstream.passive_check.has_value()});
  // Counts, loads and tables go on from what there was.
  const auto former = scopes_.find(upstream.id);
  Scope scope = former == scopes_.end() ? Scope() : former->second;
  scope.settings = {.algorithm = algorithm_of(upstream.algorithm),
                    .instance_seed = seed_,
                    .chash = {.seed = hash64(upstream.id, hash_seed)}};
  scope.scheme_port = control::scheme_port(upstream);
  scope.configured.clear();
  for (const control::NodeConfig& node : upstream.nodes) {
    scope.configured.emplace(node.identity(), node);
  }
  scope.weighed.clear();
  draft.scopes.emplace(upstream.id, std::move(scope));
  return {};
}

Result<void> Publisher::configure(const control::Config& config) {
  Draft draft;
  draft.serving = std::make_shared<proxy::Serving>();
  draft.serving->epoch = epoch_ + 1;
  if (config.http) draft.serving->trusted = config.http->trusted_proxies;
  const std::set<ScopeId> used = control::scopes_of_routes(config);
  for (const control::UpstreamConfig& upstream : config.upstreams) {
    if (!used.contains(upstream.id)) continue;
    auto drafted = draft_upstream(draft, upstream, config.bpf.hash_seed);
    if (!drafted) return drafted;
  }
  std::vector<proxy::RoutePattern> patterns;
  for (const control::RouteConfig& route : config.routes) {
    proxy::Route served{.id = route.id, .targets = {}, .max_body = route.max_body};
    const auto add = [&](const ScopeId& scope, uint32_t weight) {
      const auto timeouts = timeouts_of(route.timeouts, draft.timeouts.at(scope));
      served.targets.push_back(
          {.upstream = draft.indices.at(scope), .weight = weight, .timeouts = timeouts});
    };
    for (const control::SplitConfig& one : route.split) {
      if (one.weight > 0) add(one.scope, one.weight);
    }
    if (served.targets.empty()) add(route.scope, 1);
    draft.serving->routes.push_back(std::move(served));
    patterns.push_back({.host = route.host, .uri = route.uri, .methods = route.methods});
  }
  draft.serving->router = proxy::Router(patterns);
  serving_ = std::move(draft.serving);
  scopes_ = std::move(draft.scopes);
  ++epoch_;
  configured_ = true;
  return {};
}

std::optional<proxy::Published> Publisher::publish(const engine::Snapshot& snapshot,
                                                   TimePoint now) {
  const bool refill = now >= refill_at_;
  if (refill) refill_at_ = now + kRefillPeriod;
  bool changed = std::exchange(configured_, false);
  for (auto& [id, scope] : scopes_) {
    changed = renew(id, scope, snapshot.scopes.at(id), refill) || changed;
  }
  if (!changed) return std::nullopt;
  proxy::Published published{.serving = serving_, .scopes = {}};
  for (const proxy::Upstream& upstream : serving_->upstreams) {
    published.scopes.push_back(scopes_.at(upstream.id).nodes);
  }
  return published;
}

bool Publisher::renew(const ScopeId& id, Scope& scope, const engine::ScopeState& state,
                      bool refill) {
  std::vector<engine::PickerNode> weighed = engine::picker_nodes_of(state);
  const bool refills = refill && scope.nodes && scope.nodes->nodes->off_goal();
  if (scope.nodes && weighed == scope.weighed && !refills) return false;
  engine::PickerSettings settings = scope.settings;
  settings.refill_slots = refills ? kRefillSlots : 0;
  auto made = engine::PickerNodes::make(settings, weighed,
                                        scope.nodes ? scope.nodes->nodes.get() : nullptr);
  if (!made) {
    log::error("upstream " + id + ": " + made.error().text + ": it stays as it was");
    if (!scope.nodes) {
      made = engine::PickerNodes::make(settings, {}, nullptr);
      RP_CHECK(made.ok());
    } else {
      return false;
    }
  }
  scope.weighed = std::move(weighed);
  scope.nodes = with_addresses(scope, std::move(*made));
  return true;
}

std::shared_ptr<const proxy::ScopeNodes> Publisher::with_addresses(
    Scope& scope, std::shared_ptr<const engine::PickerNodes> nodes) {
  auto made = std::make_shared<proxy::ScopeNodes>();
  for (const engine::PickerNode& node : nodes->nodes()) {
    const control::NodeConfig& conf = scope.configured.at(node.identity);
    const uint16_t port = conf.port == 0 ? scope.scheme_port : conf.port;
    const std::string host = conf.address.to_string();
    made->addresses.push_back(
        {proxy::NodeAddress{.endpoint = proxy::endpoint_of(conf.address, port),
                            .text = host_and_port(host, port),
                            .host = host}});
    std::shared_ptr<proxy::NodeLoad>& load = scope.loads[node.identity];
    if (!load) load = std::make_shared<proxy::NodeLoad>();
    made->loads.push_back(load);
  }
  // Of one that is gone the load stays while somebody has a request there.
  std::erase_if(scope.loads, [&](const auto& entry) {
    return !scope.configured.contains(entry.first) && entry.second->in_flight == 0;
  });
  made->nodes = std::move(nodes);
  return made;
}

std::optional<TimePoint> Publisher::next_refill() const {
  const bool due = std::any_of(scopes_.begin(), scopes_.end(), [](const auto& entry) {
    return entry.second.nodes && entry.second.nodes->nodes->off_goal();
  });
  return due ? std::optional(refill_at_) : std::nullopt;
}

const proxy::NodeLoad* Publisher::load(const ScopeId& scope, const Identity& identity) const {
  const auto found = scopes_.find(scope);
  if (found == scopes_.end()) return nullptr;
  const auto load = found->second.loads.find(identity);
  return load == found->second.loads.end() ? nullptr : load->second.get();
}

}  // namespace rampart::http
