// SPDX-License-Identifier: Apache-2.0
// The live word of a VIP, taken apart and put together (RP_LIVE_*, rampart/values.h).
#ifndef RAMPART_MAPS_LIVE_WORD_H_
#define RAMPART_MAPS_LIVE_WORD_H_

#include <cstddef>
#include <cstdint>

#include "rampart/values.h"

namespace rampart::maps {

struct LiveWord {
  uint64_t generation;
  uint32_t half;
  uint32_t members;  // at most RP_MAX_BACKENDS

  // That of the next publication.
  LiveWord next(size_t published) const {
    return {.generation = generation + 1,
            .half = half ^ 1,
            .members = static_cast<uint32_t>(published)};
  }
};

inline LiveWord live_of(__u64 word) {
  return {.generation = word >> RP_LIVE_GENERATION_SHIFT & RP_LIVE_GENERATION_MASK,
          .half = static_cast<uint32_t>(word & RP_LIVE_HALF),
          .members = static_cast<uint32_t>(word >> RP_LIVE_MEMBERS_SHIFT)};
}

inline __u64 word_of(const LiveWord& live) {
  return uint64_t{live.members} << RP_LIVE_MEMBERS_SHIFT |
         (live.generation & RP_LIVE_GENERATION_MASK) << RP_LIVE_GENERATION_SHIFT | live.half;
}

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_LIVE_WORD_H_
