// SPDX-License-Identifier: Apache-2.0
#include "control/brake.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "control/wire.h"

namespace rampart::control {
namespace {

// Of fewer nodes, two at once are a deployment.
constexpr size_t kFewNodes = 4;

constexpr char kInsist[] = "; to insist: rampart reload --force, or a second SIGHUP within 10 s";

constexpr std::chrono::seconds kInsistWithin{10};

bool is_most(size_t part, size_t whole) {
  return 2 * part > whole;
}

std::string of(size_t part, size_t whole) {
  return std::to_string(part) + " of the " + std::to_string(whole);
}

class Comparison {
 public:
  explicit Comparison(const Config& to) {
    for (const UpstreamConfig& upstream : to.upstreams) upstreams_.emplace(upstream.id, &upstream);
    for (const VipConfig& vip : to.vips) scopes_.emplace(address_of(vip), vip.scope);
  }

  bool has(const VipConfig& vip) const { return scopes_.contains(address_of(vip)); }

  // What stands for an upstream of `from`; nullptr where nothing does, because what used it is gone.
  const UpstreamConfig* successor(const Config& from, const UpstreamConfig& upstream) const {
    if (const auto same = upstreams_.find(upstream.id); same != upstreams_.end()) {
      return same->second;
    }
    for (const VipConfig& vip : from.vips) {
      const auto scope = scopes_.find(address_of(vip));
      if (vip.scope == upstream.id && scope != scopes_.end()) return upstreams_.at(scope->second);
    }
    return nullptr;
  }

 private:
  std::map<ScopeId, const UpstreamConfig*> upstreams_;
  std::map<VipAddress, ScopeId> scopes_;
};

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
  const auto lost_vips = static_cast<size_t>(
      std::count_if(from.vips.begin(), from.vips.end(),
                    [&](const VipConfig& vip) { return !comparison.has(vip); }));
  if (is_most(lost_vips, from.vips.size())) {
    reasons.push_back("vips: it would remove " + of(lost_vips, from.vips.size()) +
                      " VIPs in force" + kInsist);
  }
  for (const UpstreamConfig& upstream : from.upstreams) {
    const size_t had = upstream.nodes.size();
    const UpstreamConfig* next = comparison.successor(from, upstream);
    if (had < kFewNodes || next == nullptr) continue;
    if (const size_t lost = lost_nodes(upstream, *next); is_most(lost, had)) {
      reasons.push_back("upstream " + next->id + ": it would remove " + of(lost, had) +
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
