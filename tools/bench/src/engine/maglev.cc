// SPDX-License-Identifier: Apache-2.0
#include "bench/src/engine/maglev.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"

namespace rampart::bench {
namespace {

// The paper's permutation[i][j] = (offset + j * skip) mod M, walked instead of stored.
struct Permutation {
  uint64_t next;
  uint64_t skip;
  uint64_t turns = 0;  // taken so far
};

std::vector<Permutation> permutations(std::span<const MaglevNode> nodes, uint32_t size) {
  std::vector<Permutation> all;
  for (const MaglevNode& node : nodes) {
    all.push_back({hash64(node.name, 1) % size, hash64(node.name, 2) % (size - 1) + 1});
  }
  return all;
}

uint64_t heaviest(std::span<const MaglevNode> nodes) {
  uint64_t most = 0;
  for (const MaglevNode& node : nodes) most = std::max(most, node.weight.raw());
  return most;
}

}  // namespace

engine::SlotTable maglev_fill(std::span<const MaglevNode> nodes, uint32_t table_size) {
  engine::SlotTable table(table_size, engine::kNobody);
  std::vector<Permutation> walks = permutations(nodes, table_size);
  const uint64_t most = heaviest(nodes);
  uint32_t filled = 0;
  for (uint64_t round = 1;; ++round) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      Permutation& walk = walks[i];
      if (round * nodes[i].weight.raw() <= walk.turns * most) continue;  // not its turn
      while (table[walk.next] != engine::kNobody) walk.next = (walk.next + walk.skip) % table_size;
      table[walk.next] = nodes[i].owner;
      ++walk.turns;
      if (++filled == table_size) return table;
    }
  }
}

}  // namespace rampart::bench
