// SPDX-License-Identifier: Apache-2.0
// From weights to counts and goals, for laws about tables: node i is owner i + 1.
#ifndef RAMPART_TESTS_PROPERTY_SLOT_COUNTS_H_
#define RAMPART_TESTS_PROPERTY_SLOT_COUNTS_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/apportion.h"
#include "engine/slots.h"

namespace rampart::engine {

inline std::vector<OwnerSlots> counts_of(const std::vector<Weight>& weights, uint32_t size) {
  const std::vector<uint32_t> slots = apportion(weights, size);
  std::vector<OwnerSlots> counts;
  for (size_t i = 0; i < slots.size(); ++i) counts.push_back({static_cast<Owner>(i + 1), slots[i]});
  return counts;
}

inline SlotTable goal_of(const std::vector<OwnerSlots>& counts, uint32_t size, uint64_t seed) {
  std::vector<GoalNode> nodes;
  for (const OwnerSlots& count : counts) {
    nodes.push_back({count.owner, "192.0.2." + std::to_string(count.owner) + ":80", count.slots});
  }
  return goal_table(nodes, size, seed);
}

// Slots by owner.
inline std::map<Owner, int64_t> owned(const SlotTable& table) {
  std::map<Owner, int64_t> slots;
  for (const Owner owner : table) ++slots[owner];
  return slots;
}

// W6: the sum of the positive differences.
inline size_t fewest_moves(const SlotTable& table, const std::vector<OwnerSlots>& counts) {
  const std::map<Owner, int64_t> before = owned(table);
  int64_t moves = 0;
  for (const OwnerSlots& count : counts) {
    const auto found = before.find(count.owner);
    const int64_t had = found == before.end() ? 0 : found->second;
    moves += std::max<int64_t>(count.slots - had, 0);
  }
  return static_cast<size_t>(moves);
}

}  // namespace rampart::engine

#endif  // RAMPART_TESTS_PROPERTY_SLOT_COUNTS_H_
