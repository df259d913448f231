// SPDX-License-Identifier: Apache-2.0
#include "http/views.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/engine_view.h"
#include "base/version.h"
#include "http/metrics.h"

namespace rampart::http {
namespace {

using nlohmann::json;

const char* algorithm_name(rp_algorithm algorithm) {
  switch (algorithm) {
    case RP_LEAST_CONN:
      return "least_conn";
    case RP_CHASH:
      return "chash";
    default:
      return "roundrobin";
  }
}

json node_view(const Reading& reading, const control::UpstreamConfig& upstream,
               const engine::ScopeState& state, const control::NodeConfig& conf) {
  const Identity identity = conf.identity();
  json node = api::engine_view({upstream.id, state, upstream.slow_start}, identity,
                               reading.verdict(upstream.id, identity));
  double total = 0;
  for (const auto& [other, of] : state.nodes) total += of.effective.to_double();
  const proxy::NodeLoad* load = reading.authority.publisher().load(upstream.id, identity);
  const uint64_t active = load == nullptr ? 0 : load->in_flight.load();
  const uint64_t requests = load == nullptr ? 0 : load->requests.load();
  const double effective = state.nodes.at(identity).effective.to_double();
  node.update({{"plane", "l7"},
               {"vip", nullptr},
               {"id", nullptr},
               {"host", conf.address.to_string()},
               {"port", conf.port},
               {"slots", 0},
               {"share", total == 0 ? 0.0 : api::rounded(100 * effective / total)},
               {"flows", {{"active", active}, {"total", requests}}},
               {"packets", 0},
               {"bytes", load == nullptr ? 0 : load->bytes.load()}});
  return node;
}

json routes_view(const control::Config& config) {
  json routes = json::array();
  for (const control::RouteConfig& route : config.routes) {
    json split = json::array();
    for (const control::SplitConfig& one : route.split) {
      split.push_back({{"upstream", one.scope}, {"weight", one.weight}});
    }
    routes.push_back({{"id", route.id},
                      {"host", route.host.empty() ? json(nullptr) : json(route.host)},
                      {"uri", route.uri},
                      {"methods", route.methods},
                      {"upstream", route.scope.empty() ? json(nullptr) : json(route.scope)},
                      {"traffic_split", std::move(split)}});
  }
  return routes;
}

json listeners_view(const control::Config& config) {
  json listeners = json::array();
  if (!config.http) return listeners;
  for (const control::ListenerConfig& one : config.http->listeners) {
    listeners.push_back({{"address", one.address.to_string()},
                         {"port", one.port},
                         {"tls", !one.tls.empty()},
                         {"proxy_protocol", one.proxy_protocol}});
  }
  return listeners;
}

json upstreams_view(const Reading& reading) {
  json upstreams = json::array();
  const engine::Snapshot& snapshot = reading.authority.snapshot();
  for (const control::UpstreamConfig& upstream : reading.authority.config().upstreams) {
    const auto state = snapshot.scopes.find(upstream.id);
    if (state == snapshot.scopes.end()) continue;
    upstreams.push_back({{"id", upstream.id},
                         {"type", algorithm_name(upstream.algorithm)},
                         {"nodes", upstream.nodes.size()},
                         {"panic", state->second.panic}});
  }
  return upstreams;
}

std::vector<std::string> warnings(const Reading& reading) {
  std::vector<std::string> lines;
  for (const auto& [scope, state] : reading.authority.snapshot().scopes) {
    if (state.panic) {
      lines.push_back("panic: " + scope + ": too few of its nodes are up, so health is ignored");
    }
    const bool serves = std::any_of(state.nodes.begin(), state.nodes.end(), [](const auto& node) {
      return node.second.effective > Weight();
    });
    if (!serves) lines.push_back(scope + ": no node may serve: requests are answered with 503");
  }
  for (const std::string& key : reading.last_reload.waiting) lines.push_back(key);
  if (!reading.last_reload.successful) {
    lines.push_back("the last reload was refused: what was in force before still is");
  }
  if (reading.log_lines_lost > 0) {
    lines.push_back("access_log: " + std::to_string(reading.log_lines_lost) +
                    " lines were lost: the disk is too slow");
  }
  return lines;
}

json status_view(const Reading& reading) {
  const control::Config& config = reading.authority.config();
  const json nodes = nodes_view(reading, "");
  uint64_t requests = 0;
  for (const auto& [key, count] : reading.requests.requests) requests += count;
  return {{"instance", config.instance + "-http"},
          {"plane", "l7"},
          {"version", kVersion},
          {"started", api::rfc3339(reading.started)},
          {"config_file", reading.config_file},
          {"epoch", reading.authority.epoch()},
          {"listeners", listeners_view(config)},
          {"routes", routes_view(config)},
          {"upstreams", upstreams_view(reading)},
          {"connections", {{"clients", reading.clients}, {"kept_to_nodes", reading.kept}}},
          {"requests", {{"total", requests}, {"retries", reading.requests.retries}}},
          {"ramps", api::ramps_view(nodes)},
          {"held_back", api::held_back_view(nodes)},
          {"last_reload",
           {{"successful", reading.last_reload.successful},
            {"at", api::rfc3339(reading.last_reload.at)},
            {"refused", reading.last_reload.refused},
            {"problems", reading.last_reload.problems}}},
          {"warnings", warnings(reading)}};
}

api::Response get_nodes(const Reading& reading, const std::string& scope) {
  if (!reading.authority.snapshot().scopes.contains(scope)) {
    return api::problem(404, "no such upstream", "there is no upstream with the id " + scope);
  }
  return api::reply(nodes_view(reading, scope));
}

api::Response explain_node(const Reading& reading, const std::string& name) {
  json found = json::array();
  for (json& node : nodes_view(reading, "")) {
    if (node["name"] == name) found.push_back(std::move(node));
  }
  if (!found.empty()) return api::reply(found);
  return api::problem(404, "no such backend", "there is no backend of the name " + name);
}

}  // namespace

json nodes_view(const Reading& reading, const std::string& scope) {
  json nodes = json::array();
  const engine::Snapshot& snapshot = reading.authority.snapshot();
  for (const control::UpstreamConfig& upstream : reading.authority.config().upstreams) {
    const auto state = snapshot.scopes.find(upstream.id);
    if (state == snapshot.scopes.end() || (!scope.empty() && scope != upstream.id)) continue;
    for (const control::NodeConfig& conf : upstream.nodes) {
      nodes.push_back(node_view(reading, upstream, state->second, conf));
    }
  }
  return nodes;
}

api::Response answer_reading(const api::Request& request, const Reading& reading) {
  using Path = std::vector<std::string>;
  const Path& path = request.path;
  if (request.method != "GET") {
    return api::problem(405, "method not allowed", "use GET to read and POST to act");
  }
  if (path == Path{"v1", "status"}) return api::reply(status_view(reading));
  if (path == Path{"v1", "vips"}) return api::reply(json::array());
  if (path == Path{"v1", "backends"}) {
    if (!request.query.contains("vip")) return api::reply(nodes_view(reading, ""));
    return api::problem(404, "no such VIP", "the proxy has no VIPs: its backends are of upstreams");
  }
  if (path == Path{"v1", "upstreams"}) return api::reply(upstreams_view(reading));
  if (path.size() == 4 && path[0] == "v1" && path[1] == "upstreams" && path[3] == "nodes") {
    return get_nodes(reading, path[2]);
  }
  if (path == Path{"v1", "explain"} && request.query.contains("backend")) {
    return explain_node(reading, request.query.at("backend"));
  }
  if (path == Path{"metrics"}) return metrics_answer(reading);
  return api::problem(404, "not found", "this version has no such resource");
}

}  // namespace rampart::http
