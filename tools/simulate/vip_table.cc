// SPDX-License-Identifier: Apache-2.0
#include "simulate/vip_table.h"

#include <optional>

#include "base/check.h"
#include "engine/apportion.h"

namespace rampart::simulate {
namespace {

using engine::NodeState;
using engine::Owner;

std::vector<std::string> addresses_of(const NodeState& node) {
  return node.addresses.empty() ? std::vector<std::string>{""} : node.addresses;
}

}  // namespace

uint32_t VipTable::follow(const engine::ScopeState& scope) {
  const std::optional<int> tier = engine::tier_in_use(scope);
  std::vector<Weight> effective, targets;
  std::vector<Backend> backends;
  for (const auto& [identity, node] : scope.nodes) {
    if (node.priority != tier || node.effective == Weight()) continue;
    const std::vector<std::string> addresses = addresses_of(node);
    for (const std::string& address : addresses) {
      backends.emplace_back(identity, address);
      effective.push_back(node.effective.part(addresses.size()));
      targets.push_back(Weight::whole(node.target()).part(addresses.size()));
    }
  }
  const std::vector<uint32_t> counts = engine::apportion(effective, size());
  const std::vector<uint32_t> goal_counts = engine::apportion(targets, size());

  std::vector<engine::OwnerSlots> wanted;
  std::vector<engine::GoalNode> goal_nodes;
  slots_.clear();
  for (size_t i = 0; i < backends.size(); ++i) {
    const auto next = static_cast<Owner>(owners_.size() + 1);
    const auto [found, is_new] = owners_.emplace(backends[i], next);
    RP_CHECK(!is_new || next != engine::kNobody);
    const auto& [identity, address] = backends[i];
    nodes_[found->second] = identity;
    slots_[identity] += counts[i];
    wanted.push_back({found->second, counts[i]});
    goal_nodes.push_back({found->second, identity + " " + address, goal_counts[i]});
  }
  const engine::SlotTable& goal = goal_.follow(std::move(goal_nodes), size(), seed_);
  if (!is_made_) table_ = goal;
  const auto changes = engine::retarget(table_, goal, wanted);
  return std::exchange(is_made_, true) ? static_cast<uint32_t>(changes.size()) : 0;
}

void VipTable::lose() {
  is_made_ = false;
}

uint32_t VipTable::slots_of(const Identity& node) const {
  const auto found = slots_.find(node);
  return found == slots_.end() ? 0 : found->second;
}

Identity VipTable::owner_of(uint32_t slot) const {
  const Owner owner = table_.at(slot);
  return owner == engine::kNobody ? Identity() : nodes_.at(owner);
}

}  // namespace rampart::simulate
