// SPDX-License-Identifier: Apache-2.0
#include "control/config_http.h"

#include <map>
#include <utility>

#include "base/weight.h"
#include "control/config_upstream.h"

namespace rampart::control {
namespace {

constexpr int64_t kMostPort = 65535;
constexpr int64_t kMostWorkers = 1024;
constexpr int64_t kLongestDrain = 604800;
constexpr int64_t kMostBytes = int64_t{1} << 40;  // a TiB

using Places = std::map<std::string, std::string>;  // id to path

void check_certificate(const Field& field) {
  const Block block(field, {"cert", "key"});
  block.required("cert").text(kAbsolutePath);
  block.required("key").text(kAbsolutePath);
}

void check_listener(const Field& field) {
  const Block block(field, {"address", "port", "tls", "proxy_protocol", "debug_headers"});
  block.required("address").text(kAddress);
  block.required("port").integer(1, kMostPort);
  block.optional("proxy_protocol").boolean();
  block.optional("debug_headers").boolean();
  const Field tls = block.optional("tls");
  if (!tls.is_list()) {
    if (tls.present()) check_certificate(tls);
    return;
  }
  for (const Field& item : tls.items()) check_certificate(item);
}

void check_listeners(const Field& field) {
  if (!field.present()) return;
  const Block block(
      field, {"listeners", "workers", "api", "drain_timeout", "trusted_proxies", "debug_headers"});
  const Field listeners = block.required("listeners");
  for (const Field& item : listeners.items()) check_listener(item);
  block.optional("workers").integer(1, kMostWorkers);
  block.optional("api").text(kAddressPort);
  block.optional("drain_timeout").integer(0, kLongestDrain);
  block.optional("debug_headers").boolean();
  const Field proxies = block.optional("trusted_proxies");
  if (proxies.present()) proxies.texts(kCidr);
}

// Notes an id that its list has already.
void check_fresh(const Field& id, const std::string& text, Places& seen) {
  if (text.empty()) return;
  const auto [first, fresh] = seen.emplace(text, id.path());
  if (fresh) return;
  id.problem("found the id " + quoted(text) + " again; allowed: once in its list (it is " +
             first->second + ")");
}

// Layer 7 as it is read; the members of `found` grow.
class Routing {
 public:
  void check_service(const Field& field) {
    const Block block(field, {"id", "upstream_id", "upstream"});
    const Field id = block.required("id");
    const std::string name = id.text(kId).value_or("");
    check_fresh(id, name, services_);
    check_upstream(block, id, name);
    if (block.has("upstream") || block.has("upstream_id") || !field.is_map()) return;
    field.problem("found neither upstream_id nor upstream; required: one of them");
  }

  void check_route(const Field& field) {
    const Block block(field, {"id", "host", "uri", "methods", "service_id", "upstream_id",
                              "upstream", "traffic_split", "timeout", "max_body"});
    const Field id = block.required("id");
    const std::string name = id.text(kId).value_or("");
    check_fresh(id, name, routes_);
    block.optional("host").text(kAnyText);
    block.required("uri").text(kUriPattern);
    const Field methods = block.optional("methods");
    if (methods.present()) methods.texts(kMethod);
    block.optional("max_body").integer(0, kMostBytes);
    check_timeout(block.optional("timeout"));
    const Field service = block.optional("service_id");
    if (const auto text = service.text(kId)) service_uses_.push_back({*text, service});
    check_upstream(block, id, name);
    check_split(block.optional("traffic_split"));
    const bool leads_somewhere = service.present() || block.has("upstream") ||
                                 block.has("upstream_id") || block.has("traffic_split");
    if (leads_somewhere || !field.is_map()) return;
    field.problem(
        "found none of service_id, upstream_id, upstream and traffic_split; required: one of them");
  }

  // REQUIRES: all services and routes were checked.
  ReadHttp finish() && {
    for (const Reference& use : service_uses_) {
      if (services_.contains(use.id)) continue;
      use.field.problem("found " + quoted(use.id) +
                        ", which names no service; allowed: " + "the id of a service");
    }
    return std::move(found_);
  }

 private:
  // A route's own upstream wins over its upstream_id, so both may stand there.
  void check_upstream(const Block& block, const Field& id, const std::string& name) {
    const Field reference = block.optional("upstream_id");
    if (const auto text = reference.text(kId)) found_.upstreams.push_back({*text, reference});
    const Field embedded = block.optional("upstream");
    if (!embedded.present()) return;
    read_embedded_upstream(embedded, name);
    found_.scopes.push_back({name, id});
  }

  void check_split(const Field& field) {
    if (!field.present()) return;
    for (const Field& item : field.items()) {
      const Block block(item, {"upstream_id", "upstream", "weight"});
      block.optional("weight").integer(0, kMostWeight);
      const Field reference = block.optional("upstream_id");
      const Field inline_upstream = block.optional("upstream");
      if (const auto text = reference.text(kId)) found_.upstreams.push_back({*text, reference});
      if (inline_upstream.present()) check_inline_upstream(inline_upstream);
      if (reference.present() != inline_upstream.present() || !item.is_map()) continue;
      item.problem("found " + std::string(reference.present() ? "both" : "neither") +
                   " of upstream_id and upstream; required: one of them");
    }
  }

  Places services_;
  Places routes_;
  std::vector<Reference> service_uses_;
  ReadHttp found_;
};

}  // namespace

ReadHttp check_http(const Block& document) {
  check_listeners(document.optional("http"));
  Routing routing;
  const Field services = document.optional("services");
  const Field routes = document.optional("routes");
  for (const Field& item : services.items()) routing.check_service(item);
  for (const Field& item : routes.items()) routing.check_route(item);
  return std::move(routing).finish();
}

}  // namespace rampart::control
