// SPDX-License-Identifier: Apache-2.0
#include "control/joins.h"

#include <algorithm>

#include "maps/joined.h"

namespace rampart::control {

Joins joins_of(std::vector<CountedBy> counted) {
  std::sort(counted.begin(), counted.end());
  counted.erase(std::unique(counted.begin(), counted.end()), counted.end());
  Joins joins;
  for (auto first = counted.begin(); first != counted.end();) {
    const auto end = std::find_if(first, counted.end(), [&](const CountedBy& one) {
      return one.scope_hash != first->scope_hash || one.identity_hash != first->identity_hash;
    });
    for (auto at = first; end - first > 1 && at != end; ++at) {
      const CountIndex next = at + 1 == end ? CountIndex{0} : (at + 1)->index;
      joins[at->index] = maps::joined_word(first->index, next);
    }
    first = end;
  }
  return joins;
}

}  // namespace rampart::control
