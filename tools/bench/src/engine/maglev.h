// SPDX-License-Identifier: Apache-2.0
// A plain Maglev fill (Eisenbud et al., NSDI 2016, section 3.4), the yardstick for what the engine's
// tables move. It is a function of nodes and weights alone: no history, and no exact counts.
#ifndef RAMPART_TOOLS_BENCH_SRC_ENGINE_MAGLEV_H_
#define RAMPART_TOOLS_BENCH_SRC_ENGINE_MAGLEV_H_

#include <cstdint>
#include <span>
#include <string>

#include "base/weight.h"
#include "engine/slots.h"

namespace rampart::bench {

struct MaglevNode {
  engine::Owner owner;
  std::string name;
  Weight weight;
};

// In each round every node takes its next free slot, a lighter one only in its part of the rounds:
// the paper leaves weights open beyond "altering the relative frequency of the backends' turns".
// REQUIRES: `table_size` is prime; some weight is above 0.
engine::SlotTable maglev_fill(std::span<const MaglevNode> nodes, uint32_t table_size);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_ENGINE_MAGLEV_H_
