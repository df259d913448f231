// SPDX-License-Identifier: Apache-2.0
#include "control/spares.h"

#include <algorithm>

namespace rampart::control {

Spares::Spares(const Observed& observed) : observed_(observed) {
  for (const auto& [id, backend] : observed.backends) {
    indices_.insert(CountIndex{backend.count_index});
  }
  for (const auto& [id, resting] : observed.resting) {
    if (!rested(id)) indices_.insert(resting.count_index);
  }
}

std::optional<VipNumber> Spares::number() {
  while (++last_number_ <= observed_.max_vips) {
    const VipNumber number{last_number_};
    if (!observed_.vips.contains(number) && !observed_.retired.contains(number)) return number;
  }
  return std::nullopt;
}

std::optional<BackendId> Spares::id() {
  while (++last_id_ <= observed_.max_backends) {
    const auto id = static_cast<BackendId>(last_id_);
    if (!observed_.backends.contains(id) && rested(id)) return id;
  }
  return std::nullopt;
}

CountIndex Spares::count_index(uint64_t scope_hash, uint64_t identity_hash) {
  const auto inherited = made_.find(std::pair(scope_hash, identity_hash));
  if (inherited != made_.end()) return inherited->second;
  const auto shared =
      std::find_if(observed_.backends.begin(), observed_.backends.end(), [&](const auto& entry) {
        const rp_backend& backend = entry.second;
        return backend.scope_hash == scope_hash && backend.identity_hash == identity_hash;
      });
  if (shared != observed_.backends.end()) return CountIndex{shared->second.count_index};
  // There are as many indices as ids, and each id in use holds at most one.
  while (indices_.contains(last_index_)) last_index_ = CountIndex{raw(last_index_) + 1};
  indices_.insert(last_index_);
  inherit(scope_hash, identity_hash, last_index_);
  return last_index_;
}

bool Spares::rested(BackendId id) const {
  const auto found = observed_.resting.find(id);
  return found == observed_.resting.end() || found->second.swept;
}

}  // namespace rampart::control
