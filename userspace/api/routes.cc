// SPDX-License-Identifier: Apache-2.0
#include "api/routes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/answers.h"
#include "api/explain_view.h"
#include "api/flows_view.h"
#include "api/orders.h"
#include "api/views.h"
#include "base/whole_number.h"

namespace rampart::api {
namespace {

using nlohmann::json;
using Path = std::vector<std::string>;

Response no_such_vip(const std::string& id) {
  return problem(404, "no such VIP", "there is no VIP with the id " + id);
}

Response get_backends(const Request& request, const Service& service) {
  const auto vip = request.query.find("vip");
  const std::string wanted = vip == request.query.end() ? "" : vip->second;
  const auto& vips = service.controller().config()->vips;
  const bool known = wanted.empty() || std::any_of(vips.begin(), vips.end(), [&](const auto& one) {
                       return one.id == wanted;
                     });
  if (!known) return no_such_vip(wanted);
  return reply(backends_view(service, wanted));
}

// Nothing if the text is no number of flows that may be asked for.
std::optional<size_t> limit_of(const std::string& text) {
  const auto limit = whole_number<size_t>(text);
  return limit.value_or(0) > 0 && *limit <= kMostFlows ? limit : std::nullopt;
}

Response get_flows(const Request& request, const Service& service) {
  FlowsWanted wanted;
  for (const auto& [name, value] : request.query) {
    if (name == "vip") {
      wanted.vip = value;
    } else if (name == "backend") {
      wanted.backend = value;
    } else if (name == "limit" && limit_of(value)) {
      wanted.limit = *limit_of(value);
    } else {
      return bad_request(name + "=" + value + ": give vip=ID, backend=NAME or limit=N, 1 to " +
                         std::to_string(kMostFlows));
    }
  }
  if (const auto flows = flows_view(service, wanted); flows) return reply(*flows);
  const std::string of_vip = wanted.vip.empty() ? "" : " of a VIP with the id " + wanted.vip;
  const std::string named = wanted.backend.empty() ? "" : " of the name " + wanted.backend;
  return problem(404, "no such backend", "there is no backend" + named + of_vip);
}

Response get_backend_explained(const std::string& name, const Service& service) {
  const json nodes = service.nodes_named(name);
  if (!nodes.empty()) return reply(nodes);
  return problem(404, "no such backend", "there is no backend of the name " + name);
}

// ?vip=ID&src=ADDR:PORT, or ?backend=NAME.
Response get_explanation(const Request& request, Service& service) {
  const auto& query = request.query;
  if (query.size() == 1 && query.contains("backend")) {
    return get_backend_explained(query.at("backend"), service);
  }
  const bool complete = query.size() == 2 && query.contains("vip") && query.contains("src");
  const auto client = complete ? parse_client(query.at("src")) : std::nullopt;
  if (!client) {
    return bad_request(
        "give vip=ID and src=ADDR:PORT (such as 198.51.100.7:40000), or backend=NAME");
  }
  const auto& vips = service.controller().config()->vips;
  const auto vip = std::find_if(vips.begin(), vips.end(),
                                [&](const auto& one) { return one.id == query.at("vip"); });
  if (vip == vips.end()) return no_such_vip(query.at("vip"));
  if (client->address.is_v4() != vip->address.is_v4()) {
    return bad_request("src is of another family than the VIP's address " +
                       vip->address.to_string());
  }
  const auto explained = explain_packet(service, *vip, *client);
  return explained ? reply(*explained) : refusal(explained.error());
}

Response get_upstream_nodes(const std::string& id, const Service& service) {
  const control::Config& config = *service.controller().config();
  const bool known = std::any_of(config.upstreams.begin(), config.upstreams.end(),
                                 [&](const auto& one) { return one.id == id; });
  if (!known) return problem(404, "no such upstream", "there is no upstream with the id " + id);
  json nodes = json::array();
  for (const control::VipConfig& vip : config.vips) {
    if (vip.scope != id) continue;
    for (json& node : backends_view(service, vip.id)) nodes.push_back(std::move(node));
  }
  return reply(nodes);
}

std::optional<dataplane::Mode> mode_of(const std::string& name) {
  for (const auto mode :
       {dataplane::Mode::kAuto, dataplane::Mode::kNative, dataplane::Mode::kGeneric}) {
    if (name == dataplane::name_of(mode)) return mode;
  }
  return std::nullopt;
}

// The mode that the file gives an interface, "auto" if it does not list it.
std::string mode_in_file(const std::string& interface, const Service& service) {
  for (const control::InterfaceConfig& one : service.controller().config()->interfaces) {
    if (one.name == interface) return dataplane::name_of(service.mode_of(one));
  }
  return dataplane::name_of(dataplane::Mode::kAuto);
}

// {"interface": "eth0", "mode": "auto"}, the mode is the file's if not given; for detach {"interface": "eth0"} or {"all": true}.
Response post_attach(const Request& request, Service& service) {
  const json body = json::parse(request.body, nullptr, /*allow_exceptions=*/false);
  if (!body.is_object() || !body.contains("interface") || !body["interface"].is_string()) {
    return bad_request("the body is {\"interface\": NAME, \"mode\": MODE}");
  }
  const json mode_word = body.value("mode", json(mode_in_file(body["interface"], service)));
  const auto mode = mode_word.is_string() ? mode_of(mode_word) : std::nullopt;
  if (!mode) {
    return bad_request("mode is auto, native or generic");
  }
  const auto attached = service.attach(body["interface"], *mode);
  if (!attached) return refusal(attached.error());
  return reply({{"interface", attached->interface},
                {"mode", dataplane::name_of(attached->mode)},
                {"note", attached->note}});
}

Response post_detach(const Request& request, Service& service) {
  const json body = json::parse(request.body, nullptr, /*allow_exceptions=*/false);
  std::vector<std::string> names;
  if (body.is_object() && body.value("all", json(false)) == true) {
    for (const InterfaceReading& one : service.interfaces()) {
      if (one.attached) names.push_back(one.attachment.interface);
    }
  } else if (body.is_object() && body.contains("interface") && body["interface"].is_string()) {
    names.push_back(body["interface"]);
  } else {
    return bad_request("the body is {\"interface\": NAME} or {\"all\": true}");
  }
  for (const std::string& name : names) {
    if (const auto detached = service.detach(name); !detached) return refusal(detached.error());
  }
  return reply({{"detached", names}});
}

Response get(const Request& request, Service& service) {
  const Path& path = request.path;
  if (path == Path{"v1", "status"}) return reply(status_view(service));
  if (path == Path{"v1", "vips"}) return reply(vips_view(service));
  if (path == Path{"v1", "backends"}) return get_backends(request, service);
  if (path == Path{"v1", "flows"}) return get_flows(request, service);
  if (path == Path{"v1", "explain"}) return get_explanation(request, service);
  if (path == Path{"v1", "upstreams"}) return reply(upstreams_view(service));
  if (path.size() == 4 && path[0] == "v1" && path[1] == "upstreams" && path[3] == "nodes") {
    return get_upstream_nodes(path[2], service);
  }
  return problem(404, "not found", "this version has no such resource");
}

Response post(const Request& request, Service& service) {
  const Path& path = request.path;
  if (path == Path{"v1", "attach"}) return post_attach(request, service);
  if (path == Path{"v1", "detach"}) return post_detach(request, service);
  return problem(404, "not found", "this version has no such action");
}

}  // namespace

Response answer(const Request& request, Service& service) {
  if (auto ordered = answer_order(request, service); ordered) return *std::move(ordered);
  if (request.method == "GET") return get(request, service);
  if (request.method == "POST") return post(request, service);
  return problem(405, "method not allowed", "use GET to read and POST to act");
}

}  // namespace rampart::api
