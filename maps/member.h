// SPDX-License-Identifier: Apache-2.0
// A member of a least_conn VIP (rampart/members.h).
#ifndef RAMPART_MAPS_MEMBER_H_
#define RAMPART_MAPS_MEMBER_H_

#include <cstdint>

#include "base/ids.h"

namespace rampart::maps {

struct Member {
  BackendId id;
  CountIndex count_index;
  uint32_t weight;  // effective, 16 fraction bits, above 0

  bool operator==(const Member&) const = default;
};

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_MEMBER_H_
