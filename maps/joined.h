// SPDX-License-Identifier: Apache-2.0
// Counts of flows that are summed (B2), as they lie in rp_flow_counts (rampart/values.h).
#ifndef RAMPART_MAPS_JOINED_H_
#define RAMPART_MAPS_JOINED_H_

#include <cstdint>

#include "base/ids.h"
#include "maps/flows.h"

namespace rampart::maps {

// `next` 0: the last of its list.
inline uint64_t joined_word(CountIndex first, CountIndex next) {
  return uint64_t{raw(first)} << RP_JOINED_FIRST_SHIFT | raw(next);
}

// Flows of the node whose count it is: of all counts that this one is joined with.
inline uint64_t active_flows(const MappedArray<rp_flow_count>& counts, CountIndex index) {
  const uint64_t joined = load(counts.at(raw(index)).joined);
  uint32_t at = joined == 0 ? raw(index) : joined >> RP_JOINED_FIRST_SHIFT;
  uint64_t flows = 0;
  while (at < counts.size()) {
    const rp_flow_count count = read_count(counts.at(at));
    if (count.opened > count.closed) flows += count.opened - count.closed;
    const uint32_t next = RP_JOINED_NEXT(count.joined);
    if (next <= at) break;
    at = next;
  }
  return flows;
}

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_JOINED_H_
