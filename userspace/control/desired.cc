// SPDX-License-Identifier: Apache-2.0
#include "control/desired.h"

#include <netinet/in.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/hash.h"

namespace rampart::control {
namespace {

// bpf.hash_seed with the VIP's address, port and protocol (W7): equal on all balancers of a fleet,
// yet different for each VIP, so that one client does not land in the same place of every table.
uint64_t seed_of(const VipAddress& vip, uint32_t hash_seed) {
  return hash64(vip.to_string(), hash_seed);
}

rp_vip_state settings_of(const VipConfig& vip, const UpstreamConfig& upstream, uint64_t seed) {
  const auto seconds = [](std::chrono::seconds value) { return static_cast<__u32>(value.count()); };
  return rp_vip_state{.live = 0,
                      .table_size = vip.table_size,
                      .algorithm = static_cast<__u32>(upstream.algorithm),
                      .hash_on = static_cast<__u32>(vip.hash_on),
                      .on_no_backend = static_cast<__u32>(vip.on_no_backend),
                      .timeout_syn = seconds(vip.timeouts.syn),
                      .timeout_established = seconds(vip.timeouts.established),
                      .timeout_closing = seconds(vip.timeouts.closing),
                      .timeout_udp = seconds(vip.timeouts.udp),
                      .drain_timeout = seconds(vip.drain_timeout),
                      .hash_seed = static_cast<__u32>(seed)};
}

std::map<ScopeId, const UpstreamConfig*> upstreams_by_id(const Config& config) {
  std::map<ScopeId, const UpstreamConfig*> upstreams;
  for (const UpstreamConfig& upstream : config.upstreams) upstreams[upstream.id] = &upstream;
  return upstreams;
}

// F3. Down or in maintenance, unless panic uses it. A flow that the backend cannot answer for leaves
// it: one of UDP always, as nothing else would ever tell its sender.
bool do_flows_move(const VipConfig& vip, const engine::NodeState& node) {
  const bool unusable = !node.eligible && node.effective == Weight();
  return unusable && (vip.protocol == IPPROTO_UDP || vip.on_down == OnDown::kMove);
}

// W4: lower tiers wait.
void keep_tier_in_use(std::vector<DesiredBackend>& backends, const engine::ScopeState& scope) {
  const std::optional<int> tier = engine::tier_in_use(scope);
  for (DesiredBackend& backend : backends) {
    if (scope.nodes.at(backend.identity).priority != tier) backend.effective = Weight();
  }
}

}  // namespace

// X12: nat sends to the node's port; in l2 the port of the packet stays.
BackendKey backend_key(const VipConfig& vip, const NodeConfig& node) {
  const bool own_port = vip.forward == RP_FORWARD_NAT && node.port != 0;
  return BackendKey{.vip = {vip.address, vip.port, vip.protocol},
                    .address = node.address,
                    .port = own_port ? node.port : vip.port,
                    .forward = vip.forward,
                    .identity_hash = hash64(node.identity())};
}

std::set<BackendKey> backend_keys(const Config& config) {
  const auto upstreams = upstreams_by_id(config);
  std::set<BackendKey> keys;
  for (const VipConfig& vip : config.vips) {
    for (const NodeConfig& node : upstreams.at(vip.scope)->nodes)
      keys.insert(backend_key(vip, node));
  }
  return keys;
}

DesiredPlane desired_plane(const Config& config, const engine::Snapshot& snapshot) {
  const auto upstreams = upstreams_by_id(config);
  DesiredPlane plane;
  for (const VipConfig& vip : config.vips) {
    const UpstreamConfig& upstream = *upstreams.at(vip.scope);
    const VipAddress address = address_of(vip);
    const uint64_t seed = seed_of(address, config.bpf.hash_seed);
    DesiredVip desired{.address = address,
                       .settings = settings_of(vip, upstream, seed),
                       .goal_seed = seed,
                       .refill_slots = vip.refill_slots,
                       .backends = {}};
    const engine::ScopeState& scope = snapshot.scopes.at(upstream.id);
    for (const NodeConfig& node : upstream.nodes) {
      const engine::NodeState& state = scope.nodes.at(node.identity());
      desired.backends.push_back({.key = backend_key(vip, node),
                                  .scope = upstream.id,
                                  .identity = node.identity(),
                                  .effective = state.effective,
                                  .target = state.target(),
                                  .flows_move = do_flows_move(vip, state)});
    }
    keep_tier_in_use(desired.backends, scope);
    std::sort(desired.backends.begin(), desired.backends.end(),
              [](const auto& a, const auto& b) { return a.identity < b.identity; });
    plane.push_back(std::move(desired));
  }
  return plane;
}

}  // namespace rampart::control
