// SPDX-License-Identifier: Apache-2.0
// The ends of drains, each told once (F5).
#ifndef RAMPART_USERSPACE_CONTROL_DRAINS_H_
#define RAMPART_USERSPACE_CONTROL_DRAINS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "control/observed.h"
#include "control/plan.h"
#include "engine/snapshot.h"
#include "maps/grace.h"
#include "maps/map_store.h"

namespace rampart::control {

struct Drained {
  std::string
      backend;  // "orders/10.0.0.12:8080"; of a removed one "10.0.0.12:8080 of 203.0.113.10:80/tcp"
  bool removed = false;     // from the configuration; else by an operator's order
  uint64_t flows_left = 0;  // past its deadline, which only a removed one has
};

class Drains {
 public:
  struct Sight {
    const engine::Snapshot& snapshot;
    const Observed& observed;
    const maps::MapStore& store;
    const maps::GracePeriods& grace;
  };
  // Those of an operator whose last flow ended since the last look. One that had ended before the first
  // look, in an earlier process, was told by that.
  std::vector<Drained> look(const Sight& sight);

 private:
  using Node = std::pair<ScopeId, Identity>;
  std::map<Node, bool> drains_;  // in force; has it ended?
  bool first_ = true;
};

// Those of removed backends that a plan is about to free.
std::map<BackendId, Drained> drained_by(const Plan& plan, const Observed& observed,
                                        const maps::MapStore& store);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_DRAINS_H_
