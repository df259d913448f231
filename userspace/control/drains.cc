// SPDX-License-Identifier: Apache-2.0
#include "control/drains.h"

#include <set>
#include <variant>

#include "base/hash.h"
#include "control/wire.h"
#include "maps/backend_state.h"

namespace rampart::control {
namespace {

uint64_t active(const maps::MapStore& store, CountIndex index) {
  const rp_flow_count count = store.flow_count(index);
  return count.opened - count.closed;
}

// Whether no flow of a node is left, nor one that is about to be counted: a program may still be using the
// table of before.
bool is_empty(const ScopeId& scope, const Identity& identity, const Drains::Sight& sight) {
  const uint64_t scope_hash = hash64(scope);
  const uint64_t identity_hash = hash64(identity);
  std::set<CountIndex> counts;  // B2
  for (const auto& [id, backend] : sight.observed.backends) {
    if (backend.scope_hash != scope_hash || backend.identity_hash != identity_hash) continue;
    const auto vip = sight.observed.vips.find(VipNumber{backend.vip});
    if (vip != sight.observed.vips.end() && !sight.grace.passed(vip->second.flipped)) return false;
    counts.insert(CountIndex{backend.count_index});
  }
  uint64_t flows = 0;
  for (const CountIndex index : counts) flows += active(sight.store, index);
  return flows == 0;
}

}  // namespace

std::vector<Drained> Drains::look(const Sight& sight) {
  std::map<Node, bool> drains;
  std::vector<Drained> ended;
  for (const auto& [scope, state] : sight.snapshot.scopes) {
    for (const auto& [identity, node] : state.nodes) {
      if (node.condition.admin != engine::Admin::kDrain) continue;
      const auto known = drains_.find({scope, identity});
      const bool was_over = known != drains_.end() && known->second;
      const bool is_over = was_over || is_empty(scope, identity, sight);
      if (is_over && !was_over && !first_) ended.push_back({.backend = scope + "/" + identity});
      drains.emplace(Node{scope, identity}, is_over);
    }
  }
  drains_ = std::move(drains);
  first_ = false;
  return ended;
}

std::map<BackendId, Drained> drained_by(const Plan& plan, const Observed& observed,
                                        const maps::MapStore& store) {
  std::map<BackendId, Drained> ended;
  for (const Write& write : plan.writes) {
    const auto* freed = std::get_if<FreeBackend>(&write);
    if (freed == nullptr) continue;
    const rp_backend& backend = observed.backends.at(freed->id);
    if (maps::state_of(backend) != RP_BACKEND_DRAINING) continue;  // its VIP is gone
    const BackendKey key = key_of(backend);
    ended[freed->id] = {
        .backend = host_and_port(key.address.to_string(), key.port) + " of " + key.vip.to_string(),
        .removed = true,
        .flows_left = active(store, CountIndex{backend.count_index})};
  }
  return ended;
}

}  // namespace rampart::control
