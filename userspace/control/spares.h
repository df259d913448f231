// SPDX-License-Identifier: Apache-2.0
// Numbers, ids and count indices that nothing names, for what a plan adds.
#ifndef RAMPART_USERSPACE_CONTROL_SPARES_H_
#define RAMPART_USERSPACE_CONTROL_SPARES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/ids.h"
#include "control/observed.h"

namespace rampart::control {

// Each is handed out once. REQUIRES: `observed` outlives it and does not change.
class Spares {
 public:
  explicit Spares(const Observed& observed);

  // Nothing if all are in use, or not yet at rest.
  std::optional<VipNumber> number();
  std::optional<BackendId> id();

  // B2: an id that stays counts for this (scope, identity), whatever its scope was called before.
  void inherit(uint64_t scope_hash, uint64_t identity_hash, CountIndex index) {
    made_.emplace(std::pair(scope_hash, identity_hash), index);
  }
  // B2: the index of an id that counts for the same (scope, identity), else a fresh one. An index
  // is fresh once a sweep has given back the flows of the last id that used it: its counts are then
  // equal, so it needs no clearing.
  CountIndex count_index(uint64_t scope_hash, uint64_t identity_hash);

 private:
  bool rested(BackendId id) const;

  const Observed& observed_;
  uint32_t last_number_ = 0;
  uint32_t last_id_ = 0;
  CountIndex last_index_{1};
  std::set<CountIndex> indices_;
  std::map<std::pair<uint64_t, uint64_t>, CountIndex> made_;
};

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_SPARES_H_
