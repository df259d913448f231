// SPDX-License-Identifier: Apache-2.0
// The VIP that is measured: nodes of weight 100, of which the last ones ramp over 300 seconds.
#ifndef RAMPART_TOOLS_BENCH_SRC_ENGINE_POOL_H_
#define RAMPART_TOOLS_BENCH_SRC_ENGINE_POOL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/weight.h"
#include "control/desired.h"
#include "engine/scope.h"

namespace rampart::bench {

inline constexpr uint32_t kTableSize = 65537;  // the default
inline constexpr uint32_t kTarget = 100;
inline constexpr std::chrono::seconds kWindow{300};

inline constexpr int kSteps = 300;  // of one second, to the window's end

// Ascending with `number`, as the identities of a VIP's backends are.
std::string identity_of(size_t number);

engine::SlowStart ramp_block();

class Pool {
 public:
  // The newcomers have weight 0: they have not joined yet.
  Pool(size_t nodes, size_t newcomers);

  // The newcomers' weights `step` seconds into the ramp of the first. The others are ahead of it at
  // equal distances, and begin again a second after their end: so every step changes something, as
  // in a rolling deployment.
  void ramp_to(int step);

  const control::DesiredVip& vip() const { return vip_; }
  const std::vector<BackendId>& ids() const { return ids_; }
  std::vector<Weight> weights() const;

 private:
  size_t newcomers_;
  control::DesiredVip vip_;
  std::vector<BackendId> ids_;
};

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_ENGINE_POOL_H_
