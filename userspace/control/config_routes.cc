// SPDX-License-Identifier: Apache-2.0
#include "control/config_routes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/weight.h"

namespace rampart::control {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 40;  // a TiB

using Places = std::map<std::string, std::string>;  // id to path

// Notes an id that its list has already.
void check_fresh(const Field& id, const std::string& text, Places& seen) {
  if (text.empty()) return;
  const auto [first, fresh] = seen.emplace(text, id.path());
  if (fresh) return;
  id.problem("found the id " + quoted(text) + " again; allowed: once in its list (it is " +
             first->second + ")");
}

std::vector<std::string> read_methods(const Field& field) {
  if (!field.present()) return {};
  if (field.is_list() && field.items().empty()) {
    field.problem("found an empty list; allowed: at least one method, or no list for all");
  }
  return field.texts(kMethod);
}

// Routes that would answer for the same requests. Those of one host and uri may have methods that
// differ, and one of them none, which is for the rest.
class Matches {
 public:
  void add(const RouteConfig& route, const Field& field) {
    std::vector<std::string> methods = route.methods;
    if (methods.empty()) methods.emplace_back();
    std::string same_as;
    for (const std::string& method : methods) {
      const auto [first, fresh] =
          seen_.emplace(std::tuple(route.host, route.uri, method), field.path());
      if (!fresh && first->second != field.path() && same_as.empty()) same_as = first->second;
    }
    if (same_as.empty()) return;
    field.problem("found the same host, uri and methods as " + same_as +
                  "; allowed: routes of which a request fits one");
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, std::string> seen_;
};

class Routing {
 public:
  void read_service(const Field& field) {
    const Block block(field, {"id", "upstream_id", "upstream"});
    const Field id = block.required("id");
    const std::string name = id.text(kId).value_or("");
    check_fresh(id, name, service_places_);
    services_.emplace(name, read_target(block, id, name));
    if (block.has("upstream") || block.has("upstream_id") || !field.is_map()) return;
    field.problem("found neither upstream_id nor upstream; required: one of them");
  }

  // REQUIRES: all services were read.
  void read_route(const Field& field) {
    const Block block(field, {"id", "host", "uri", "methods", "service_id", "upstream_id",
                              "upstream", "traffic_split", "timeout", "max_body"});
    const Field id = block.required("id");
    RouteConfig route = read_match(block, field);
    route.id = id.text(kId).value_or("");
    check_fresh(id, route.id, route_places_);
    const auto max_body = block.optional("max_body").integer(0, kMostBytes);
    if (max_body) route.max_body = static_cast<uint64_t>(*max_body);
    route.timeouts = read_http_timeouts(block.optional("timeout"));
    const ScopeId of_service = read_service_id(block.optional("service_id"));
    route.scope = read_target(block, id, route.id);
    if (route.scope.empty()) route.scope = of_service;
    const bool has_target =
        block.has("service_id") || block.has("upstream") || block.has("upstream_id");
    const Field split = block.optional("traffic_split");
    if (split.present()) {
      route.split = read_split(split, route.id);
      check_weights(split, route.split, has_target);
    } else if (!has_target && field.is_map()) {
      field.problem(
          "found none of service_id, upstream_id, upstream and traffic_split; required: one of "
          "them");
    }
    found_.routes.push_back(std::move(route));
  }

  ReadRoutes finish() && { return std::move(found_); }

 private:
  // A route with what requests are held against.
  RouteConfig read_match(const Block& block, const Field& field) {
    RouteConfig route;
    const Field host = block.optional("host");
    const auto name = host.text(kHostPattern);
    const auto uri = block.required("uri").text(kUriPattern);
    const Field methods = block.optional("methods");
    route.host = lower_case(name.value_or(""));
    route.uri = uri.value_or("");
    route.methods = read_methods(methods);
    const bool wrong = (host.present() && !name) || !uri;
    if (!wrong && methods.present() == !route.methods.empty()) matches_.add(route, field);
    return route;
  }

  ScopeId read_service_id(const Field& field) {
    const auto name = field.text(kId);
    if (!name) return "";
    const auto service = services_.find(*name);
    if (service != services_.end()) return service->second;
    field.problem("found " + quoted(*name) +
                  ", which names no service; allowed: the id of a service");
    return "";
  }

  // Its own upstream wins over its upstream_id, so both may stand there. Empty with neither.
  ScopeId read_target(const Block& block, const Field& id, const std::string& name) {
    const Field reference = block.optional("upstream_id");
    const auto text = reference.text(kId);
    if (text) found_.named.push_back({*text, reference});
    const Field embedded = block.optional("upstream");
    if (!embedded.present()) return text.value_or("");
    found_.upstreams.push_back(read_embedded_upstream(embedded, name));
    found_.scopes.push_back({name, id});
    return name;
  }

  std::vector<SplitConfig> read_split(const Field& field, const std::string& route) {
    std::vector<SplitConfig> split;
    for (const Field& item : field.items()) {
      const Block block(item, {"upstream_id", "upstream", "weight"});
      SplitConfig side;
      const auto weight = block.optional("weight").integer(0, kMostWeight);
      side.weight = static_cast<uint32_t>(weight.value_or(side.weight));
      const Field reference = block.optional("upstream_id");
      const Field embedded = block.optional("upstream");
      if (const auto text = reference.text(kId)) {
        found_.named.push_back({*text, reference});
        side.scope = *text;
      }
      if (embedded.present()) {
        // No id that somebody chose has a '#'.
        side.scope = route + "#" + std::to_string(split.size());
        found_.upstreams.push_back(read_inline_upstream(embedded, side.scope));
      }
      split.push_back(std::move(side));
      if (reference.present() != embedded.present() || !item.is_map()) continue;
      item.problem("found " + std::string(reference.present() ? "both" : "neither") +
                   " of upstream_id and upstream; required: one of them");
    }
    return split;
  }

  static void check_weights(const Field& field, const std::vector<SplitConfig>& split,
                            bool has_target) {
    const bool has_weight = std::any_of(split.begin(), split.end(),
                                        [](const SplitConfig& side) { return side.weight > 0; });
    if (has_weight || has_target || !field.is_list()) return;
    field.problem(
        "found no weight above 0, and no other target; allowed: a weight, or one of service_id, "
        "upstream_id and upstream beside it");
  }

  Places service_places_;
  Places route_places_;
  std::map<std::string, ScopeId> services_;  // what each leads to
  Matches matches_;
  ReadRoutes found_;
};

}  // namespace

ReadRoutes read_routes(const Block& document) {
  Routing routing;
  for (const Field& item : document.optional("services").items()) routing.read_service(item);
  for (const Field& item : document.optional("routes").items()) routing.read_route(item);
  return std::move(routing).finish();
}

}  // namespace rampart::control
