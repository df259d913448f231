// SPDX-License-Identifier: Apache-2.0
// What the kernel should hold: an accepted configuration, weighed by the engine.
#ifndef RAMPART_USERSPACE_CONTROL_DESIRED_H_
#define RAMPART_USERSPACE_CONTROL_DESIRED_H_

#include <cstdint>
#include <set>
#include <vector>

#include "base/weight.h"
#include "control/config.h"
#include "control/planes.h"
#include "control/wire.h"
#include "engine/snapshot.h"

namespace rampart::control {

struct DesiredBackend {
  BackendKey key;
  ScopeId scope;
  Identity identity;
  Weight effective;         // decides its slots now
  uint32_t target = 0;      // decides its slots in the goal table (W7)
  bool flows_move = false;  // they choose anew (F3)
};

struct DesiredVip {
  VipAddress address;
  rp_vip_state settings;  // its live word is 0: that one belongs to the publication
  uint64_t goal_seed = 0;
  uint32_t refill_slots = 0;             // a second, towards the goal table (W7); 0: never
  std::vector<DesiredBackend> backends;  // ascending by identity, which is what breaks ties (W5)
};

using DesiredPlane = std::vector<DesiredVip>;

// What the backend id of a pair of VIP and node stands for.
BackendKey backend_key(const VipConfig& vip, const NodeConfig& node);
// Every pair.
std::set<BackendKey> backend_keys(const Config& config);

// REQUIRES: `snapshot` is of an engine that was given scopes_of(config).
DesiredPlane desired_plane(const Config& config, const engine::Snapshot& snapshot);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_DESIRED_H_
