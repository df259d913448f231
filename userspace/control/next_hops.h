// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_USERSPACE_CONTROL_NEXT_HOPS_H_
#define RAMPART_USERSPACE_CONTROL_NEXT_HOPS_H_

#include <cstdint>

#include "base/ip.h"
#include "rampart/values.h"

namespace rampart::control {

// Where frames towards an address go now: the word of rp_backend.next_hop, 0 if that is not known.
// The data plane answers from the kernel's routes and neighbours (X2).
class NextHops {
 public:
  virtual ~NextHops() = default;
  virtual uint64_t towards(const IpAddress& address, rp_forward forward) const = 0;
};

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_NEXT_HOPS_H_
