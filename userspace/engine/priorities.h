// SPDX-License-Identifier: Apache-2.0
// Priorities (P7): a tier is the nodes of one priority. Each kind of picker keeps one of its parts
// per tier and asks them from the highest priority down; a tier that has no node with a weight that
// was not tried answers nothing, and the next is asked.
#ifndef RAMPART_USERSPACE_ENGINE_PRIORITIES_H_
#define RAMPART_USERSPACE_ENGINE_PRIORITIES_H_

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "engine/picker_node.h"

namespace rampart::engine {

// The highest priority first.
template <typename Tier>
using ByPriority = std::map<int, Tier, std::greater<>>;

// The numbers of the nodes of each tier, ascending.
inline ByPriority<std::vector<NodeNumber>> tiers_of(std::span<const PickerNode> nodes) {
  ByPriority<std::vector<NodeNumber>> tiers;
  for (NodeNumber number = 0; number < nodes.size(); ++number) {
    tiers[nodes[number].priority].push_back(number);
  }
  return tiers;
}

// What `ask` answers of the first tier that has an answer; otherwise its empty answer.
template <typename Tiers, typename Ask>
auto first_answer(Tiers& tiers, const Ask& ask) -> decltype(ask(tiers.begin()->second)) {
  for (auto& [priority, tier] : tiers) {
    if (auto answer = ask(tier)) return answer;
  }
  return {};
}

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_PRIORITIES_H_
