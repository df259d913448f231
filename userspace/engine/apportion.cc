// SPDX-License-Identifier: Apache-2.0
#include "engine/apportion.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

#include "base/check.h"

namespace rampart::engine {
namespace {

using Wide = unsigned __int128;

// Whole quotas, and the slots that rounding left over to the largest remainders.
std::vector<uint32_t> largest_remainders(std::span<const Weight> weights, Wide total,
                                         uint32_t table_size) {
  std::vector<uint32_t> slots;
  std::vector<Wide> remainders;
  uint32_t left_over = table_size;
  for (const Weight weight : weights) {
    const Wide quota = Wide{weight.raw()} * table_size;
    slots.push_back(static_cast<uint32_t>(quota / total));
    remainders.push_back(quota % total);
    left_over -= slots.back();
  }
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Stable: equal remainders stay in the caller's order. A node of weight 0 has remainder 0, and
  // fewer slots are left over than there are remainders above 0.
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return remainders[a] > remainders[b]; });
  for (uint32_t i = 0; i < left_over; ++i) ++slots[order[i]];
  return slots;
}

// W4: a node that has a weight has a slot.
void lift_empty_nodes(std::vector<uint32_t>& slots, std::span<const Weight> weights) {
  std::priority_queue<std::pair<uint32_t, size_t>> richest;  // the greater index first among equals
  for (size_t i = 0; i < slots.size(); ++i) richest.emplace(slots[i], i);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] > 0 || weights[i] == Weight()) continue;
    const size_t giver = richest.top().second;
    richest.pop();
    RP_CHECK(slots[giver] > 1);  // there are at least as many slots as nodes
    richest.emplace(--slots[giver], giver);
    slots[i] = 1;
  }
}

}  // namespace

std::vector<uint32_t> apportion(std::span<const Weight> weights, uint32_t table_size) {
  Wide total = 0;
  uint64_t nodes = 0;
  for (const Weight weight : weights) {
    total += weight.raw();
    if (weight > Weight()) ++nodes;
  }
  if (total == 0) return std::vector<uint32_t>(weights.size(), 0);
  RP_CHECK(nodes <= table_size);
  std::vector<uint32_t> slots = largest_remainders(weights, total, table_size);
  lift_empty_nodes(slots, weights);
  return slots;
}

}  // namespace rampart::engine
