// SPDX-License-Identifier: Apache-2.0
// Which counts of flows are summed (B2). Ids of one (scope, identity) that are handed out share a count,
// but those that a rename brings together each keep the count that their flows began in.
#ifndef RAMPART_USERSPACE_CONTROL_JOINS_H_
#define RAMPART_USERSPACE_CONTROL_JOINS_H_

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"

namespace rampart::control {

// That an id of this node counts its flows here.
struct CountedBy {
  uint64_t scope_hash = 0;
  uint64_t identity_hash = 0;
  CountIndex index{0};
  auto operator<=>(const CountedBy&) const = default;
};

// The word rp_flow_count::joined of each count that is summed with others; those that stand alone are
// left out.
using Joins = std::map<CountIndex, uint64_t>;

Joins joins_of(std::vector<CountedBy> counted);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_JOINS_H_
