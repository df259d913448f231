// SPDX-License-Identifier: Apache-2.0
// The state word of a backend, taken apart and put together (RP_STATE_*, rampart/values.h).
#ifndef RAMPART_MAPS_BACKEND_STATE_H_
#define RAMPART_MAPS_BACKEND_STATE_H_

#include <cstdint>

#include "rampart/values.h"

namespace rampart::maps {

inline rp_backend_state state_of(const rp_backend& backend) {
  return static_cast<rp_backend_state>(backend.state & RP_STATE_MASK);
}
inline uint16_t incarnation_of(const rp_backend& backend) {
  return static_cast<uint16_t>(backend.state >> RP_STATE_INCARNATION_SHIFT);
}
// Do its flows choose anew (F3)?
inline bool flows_move(const rp_backend& backend) {
  return backend.state & RP_STATE_FLOWS_MOVE;
}

inline __u32 with_state(__u32 word, rp_backend_state state) {
  return (word & ~RP_STATE_MASK) | state;
}
inline __u32 with_flows_move(__u32 word, bool move) {
  return move ? word | RP_STATE_FLOWS_MOVE : word & ~RP_STATE_FLOWS_MOVE;
}

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_BACKEND_STATE_H_
