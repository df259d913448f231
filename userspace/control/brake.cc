// SPDX-License-Identifier: Apache-2.0
#include "control/brake.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "control/wire.h"

namespace rampart::control {
namespace {

// Of fewer nodes or routes, two at once are a deployment.
constexpr size_t kFew = 4;

constexpr char kInsist[] = "; to insist: rampart reload --force, or a second SIGHUP within 10 s";

constexpr std::chrono::seconds kInsistWithin{10};

bool is_most(size_t part, size_t whole) {
  return 2 * part > whole;
}

std::string of(size_t part, size_t whole) {
  return std::to_string(part) + " of the " + std::to_string(whole);
}

// The requests that it answers: no two routes of a configuration have the same.
using RouteMatch = std::tuple<std::string, std::string, std::vector<std::string>>;

RouteMatch match_of(const RouteConfig& route) {
  return {route.host, route.uri, route.methods};
}

class Comparison {
 public:
  explicit Comparison(const Config& to) {
    for (const UpstreamConfig& upstream : to.upstreams) upstreams_.emplace(upstream.id, &upstream);
    for (const VipConfig& vip : to.vips) scopes_.emplace(address_of(vip), vip.scope);
    for (const RouteConfig& route : to.routes) {
      routes_by_id_.emplace(route.id, &route);
      routes_by_match_.emplace(match_of(route), &route);
    }
  }

  bool has(const VipConfig& vip) const { return scopes_.contains(address_of(vip)); }
  bool has(const RouteConfig& route) const { return successor(route) != nullptr; }

  // What stands for an upstream of `from`; nullptr where nothing does, because what used it is gone.
  const UpstreamConfig* successor(const Config& from, const UpstreamConfig& upstream) const {
    if (const auto same = upstreams_.find(upstream.id); same != upstreams_.end()) {
      return same->second;
    }
    for (const VipConfig& vip : from.vips) {
      const auto scope = scopes_.find(address_of(vip));
      if (vip.scope == upstream.id && scope != scopes_.end()) return upstreams_.at(scope->second);
    }
    for (const RouteConfig& route : from.routes) {
      const RouteConfig* next = route.scope == upstream.id ? successor(route) : nullptr;
      if (next != nullptr && !next->scope.empty()) return upstreams_.at(next->scope);
    }
    return nullptr;
  }

 private:
  const RouteConfig* successor(const RouteConfig& route) const {
    const auto same = routes_by_id_.find(route.id);
    if (same != routes_by_id_.end()) return same->second;
    const auto match = routes_by_match_.find(match_of(route));
    return match == routes_by_match_.end() ? nullptr : match->second;
  }

  std::map<ScopeId, const UpstreamConfig*> upstreams_;
  std::map<VipAddress, ScopeId> scopes_;
  std::map<std::string, const RouteConfig*> routes_by_id_;
  std::map<RouteMatch, const RouteConfig*> routes_by_match_;
};

template <typename One>
size_t lost(const std::vector<One>& list, const Comparison& comparison) {
  return static_cast<size_t>(std::count_if(list.begin(), list.end(),
                                           [&](const One& one) { return !comparison.has(one); }));
}

size_t lost_nodes(const UpstreamConfig& from, const UpstreamConfig& to) {
  std::set<Identity> stay;
  for (const NodeConfig& node : to.nodes) stay.insert(node.identity());
  return static_cast<size_t>(
      std::count_if(from.nodes.begin(), from.nodes.end(),
                    [&](const NodeConfig& node) { return !stay.contains(node.identity()); }));
}

}  // namespace

std::vector<std::string> held_back(const Config& from, const Config& to) {
  const Comparison comparison(to);
  std::vector<std::string> reasons;
  const size_t lost_vips = lost(from.vips, comparison);
  if (is_most(lost_vips, from.vips.size())) {
    reasons.push_back("vips: it would remove " + of(lost_vips, from.vips.size()) +
                      " VIPs in force" + kInsist);
  }
  const size_t lost_routes = lost(from.routes, comparison);
  if (from.routes.size() >= kFew && is_most(lost_routes, from.routes.size())) {
    reasons.push_back("routes: it would remove " + of(lost_routes, from.routes.size()) +
                      " routes in force" + kInsist);
  }
  for (const UpstreamConfig& upstream : from.upstreams) {
    const size_t had = upstream.nodes.size();
    const UpstreamConfig* next = comparison.successor(from, upstream);
    if (had < kFew || next == nullptr) continue;
    if (const size_t gone = lost_nodes(upstream, *next); is_most(gone, had)) {
      reasons.push_back("upstream " + next->id + ": it would remove " + of(gone, had) +
                        " nodes in force" + kInsist);
    }
  }
  return reasons;
}

bool SecondSignal::insists(const std::vector<std::string>& held_back, TimePoint now) {
  const auto first = std::exchange(first_, First{now, held_back});
  const bool again = first && now - first->at <= kInsistWithin && first->held_back == held_back;
  if (again) forget();
  return again;
}

}  // namespace rampart::control
