// SPDX-License-Identifier: Apache-2.0
#include "engine/picker_node.h"

#include "engine/snapshot.h"

namespace rampart::engine {

std::vector<PickerNode> picker_nodes_of(const ScopeState& scope) {
  std::vector<PickerNode> nodes;
  for (const auto& [identity, node] : scope.nodes) {
    nodes.push_back({.identity = identity,
                     .effective = node.effective,
                     .ramped = node.ramped,
                     .target = node.target(),
                     .priority = node.priority,
                     .addresses = node.addresses});
    if (node.addresses.empty()) nodes.back().addresses = {identity};
  }
  return nodes;
}

}  // namespace rampart::engine
