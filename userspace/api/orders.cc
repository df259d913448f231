// SPDX-License-Identifier: Apache-2.0
#include "api/orders.h"

#include <string>
#include <vector>

#include "api/answers.h"
#include "api/engine_view.h"
#include "base/clock.h"
#include "base/weight.h"
#include "control/config.h"
#include "engine/snapshot.h"

namespace rampart::api {
namespace {

using nlohmann::json;

// Whom an order is about.
struct Target {
  ScopeId scope;
  Identity identity;
};

// "SCOPE/HOST:PORT" from the segments of a path, and the segment behind it.
struct Order {
  std::string backend;
  std::string verb;
};

std::optional<Order> order_of(const std::vector<std::string>& path) {
  if (path.size() < 4 || path[0] != "v1" || path[1] != "backends") return std::nullopt;
  std::string backend = path[2];
  for (size_t i = 3; i + 1 < path.size(); ++i) backend += "/" + path[i];
  return Order{std::move(backend), path.back()};
}

// A scope's id has no slash.
std::optional<Target> find_target(const Steered& steered, const std::string& backend) {
  const size_t slash = backend.find('/');
  if (slash == std::string::npos) return std::nullopt;
  Target target{backend.substr(0, slash), backend.substr(slash + 1)};
  const auto& scopes = steered.snapshot().scopes;
  const auto scope = scopes.find(target.scope);
  if (scope == scopes.end() || !scope->second.nodes.contains(target.identity)) return std::nullopt;
  return target;
}

std::string signature(const Request& request) {
  return request.user + ", " + rfc3339(std::chrono::system_clock::now());
}

// The node as it is now, for each of its VIPs.
Response reply_with(const Steered& steered, const Target& target) {
  return reply(steered.nodes_named(target.scope + "/" + target.identity));
}

struct AdminVerb {
  const char* name;
  engine::Admin admin;
  bool may_ramp;  // S3.25
};
constexpr AdminVerb kAdminVerbs[] = {{"drain", engine::Admin::kDrain, false},
                                     {"undrain", engine::Admin::kNone, true},
                                     {"maintenance", engine::Admin::kMaintenance, false},
                                     {"ready", engine::Admin::kNone, true}};

Response set_admin(const Request& request, const AdminVerb& verb, const Target& target,
                   Steered& steered) {
  const auto ramp = flag_in(request.body, "ramp");
  if (!ramp || (*ramp && !verb.may_ramp)) {
    return bad_request("the body is empty, or, with undrain and ready, {\"ramp\": true}");
  }
  if (*ramp && !steered.start_ramp(target.scope, target.identity)) {
    return refusal({Code::kFailed, target.scope + " has no slow_start: there is nothing to ramp"});
  }
  steered.set_admin(target.scope, target.identity, verb.admin, signature(request));
  return reply_with(steered, target);
}

// The body is {"weight": N}.
Response put_weight(const Request& request, const Target& target, Steered& steered) {
  const json body = json::parse(request.body, nullptr, /*allow_exceptions=*/false);
  const bool is_whole = body.is_object() && body.size() == 1 && body.contains("weight");
  const json weight = is_whole ? body["weight"] : json();
  if (!weight.is_number_unsigned() || weight.get<uint64_t>() > kMostWeight) {
    return bad_request("the body is {\"weight\": N}, 0 to " + std::to_string(kMostWeight));
  }
  steered.set_override(target.scope, target.identity, weight.get<uint32_t>(), signature(request));
  return reply_with(steered, target);
}

json problems_of(const control::ParseResult& parsed) {
  json problems = json::array();
  for (const control::Problem& one : parsed.problems) {
    problems.push_back(
        {{"line", one.line}, {"column", one.column}, {"path", one.path}, {"text", one.text}});
  }
  return problems;
}

Response post_validate(const Request& request) {
  return reply(problems_of(control::parse_config(request.body)));
}

Response post_reload(const Request& request, Steered& steered) {
  const auto force = flag_in(request.body, "force");
  if (!force) return bad_request("the body is empty, or {\"force\": true}");
  const ReloadReport report = steered.reload(*force ? Brake::kReleased : Brake::kHolds);
  if (!report.problems.empty()) {
    return problem(422, "the configuration is invalid", report.problems.front(),
                   Code::kInvalidConfig, {{"problems", report.problems}});
  }
  if (!report.held_back.empty()) {
    return problem(409, "the reload would remove most of what is in force",
                   report.held_back.front(), Code::kFailed, {{"problems", report.held_back}});
  }
  return reply({{"changes", report.changes}, {"notes", report.notes}});
}

}  // namespace

std::optional<Response> answer_order(const Request& request, Steered& steered) {
  using Path = std::vector<std::string>;
  if (request.method == "POST" && request.path == Path{"v1", "validate"}) {
    return post_validate(request);
  }
  if (request.method == "POST" && request.path == Path{"v1", "reload"}) {
    return post_reload(request, steered);
  }
  const auto order = order_of(request.path);
  if (!order) return std::nullopt;
  const auto target = find_target(steered, order->backend);
  if (!target) {
    return problem(404, "no such backend",
                   "there is no backend of the name " + order->backend +
                       ": see rampart backends for the names");
  }
  if (order->verb == "weight" && request.method == "PUT") {
    return put_weight(request, *target, steered);
  }
  if (order->verb == "weight" && request.method == "DELETE") {
    steered.set_override(target->scope, target->identity, std::nullopt, signature(request));
    return reply_with(steered, *target);
  }
  for (const AdminVerb& verb : kAdminVerbs) {
    if (order->verb != verb.name) continue;
    if (request.method == "POST") return set_admin(request, verb, *target, steered);
    return problem(405, "method not allowed", "use POST to act");
  }
  return problem(
      404, "not found",
      "a backend takes drain, undrain, maintenance, ready (POST) and weight (PUT, DELETE)");
}

}  // namespace rampart::api
