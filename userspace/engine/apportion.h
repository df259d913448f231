// SPDX-License-Identifier: Apache-2.0
// Weights to slot counts (W5).
#ifndef RAMPART_USERSPACE_ENGINE_APPORTION_H_
#define RAMPART_USERSPACE_ENGINE_APPORTION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/weight.h"

namespace rampart::engine {

// Slots per node: the largest-remainder apportionment (Hamilton's method) of `weights` over
// `table_size` in exact integer arithmetic, equal remainders to the lower index; then every node
// that has a weight but no slot is lifted to one, in order, each by a slot of the node with the
// most at that moment, ties to the higher index. A node of weight 0 gets none.
//
// The caller orders nodes by identity, so that the order of its input never matters (W9).
// Returns all zeros if all weights are 0 or there are none.
// REQUIRES: no more nodes with weight > 0 than `table_size` (W4: front ends refuse that).
std::vector<uint32_t> apportion(std::span<const Weight> weights, uint32_t table_size);

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_APPORTION_H_
