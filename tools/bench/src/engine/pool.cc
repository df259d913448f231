// SPDX-License-Identifier: Apache-2.0
#include "bench/src/engine/pool.h"

#include "engine/curve.h"

namespace rampart::bench {

std::string identity_of(size_t number) {
  const std::string digits = std::to_string(number);
  return "node-" + std::string(5 - digits.size(), '0') + digits + ".example:80";
}

engine::SlowStart ramp_block() {
  return {.window = kWindow, .min_weight_percent = 1};
}

Pool::Pool(size_t nodes, size_t newcomers) : newcomers_(newcomers), vip_{} {
  vip_.settings.table_size = kTableSize;
  vip_.goal_seed = 7;
  for (size_t i = 0; i < nodes; ++i) {
    const bool has_joined = i < nodes - newcomers;
    vip_.backends.push_back({.key = {},
                             .scope = "pool",
                             .identity = identity_of(i),
                             .effective = Weight::whole(has_joined ? kTarget : 0),
                             .target = kTarget});
    ids_.push_back(BackendId{static_cast<uint16_t>(i + 1)});
  }
}

void Pool::ramp_to(int step) {
  const size_t first = vip_.backends.size() - newcomers_;
  for (size_t i = 0; i < newcomers_; ++i) {
    const size_t ahead = i * kSteps / newcomers_;
    const std::chrono::seconds age((static_cast<size_t>(step) + ahead) % (kSteps + 1));
    vip_.backends[first + i].effective = engine::ramped_weight(kTarget, ramp_block(), age);
  }
}

std::vector<Weight> Pool::weights() const {
  std::vector<Weight> weights;
  for (const control::DesiredBackend& backend : vip_.backends) weights.push_back(backend.effective);
  return weights;
}

}  // namespace rampart::bench
