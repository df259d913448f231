// SPDX-License-Identifier: Apache-2.0
// Verdicts by what requests show of nodes (H1). Counting is that of active checks (H4); a node only falls
// by it: it rises by its active check.
//
// Thread-safety: none; the control thread owns it (H5).
#ifndef RAMPART_USERSPACE_HEALTH_PASSIVE_H_
#define RAMPART_USERSPACE_HEALTH_PASSIVE_H_

#include <map>
#include <set>
#include <utility>

#include "base/ids.h"
#include "control/passive_check.h"
#include "health/verdict.h"

namespace rampart::health {

class PassiveVerdicts {
 public:
  // Counts one report. True if the node falls by it; what was counted of it is forgotten then.
  bool count(const ScopeId& scope, const Identity& identity, Report report,
             const control::PassiveCheck& check);
  // Forgets nodes of other scopes, and of these all that are not listed.
  void keep_only(const std::map<ScopeId, std::set<Identity>>& nodes);

 private:
  std::map<std::pair<ScopeId, Identity>, Verdict> verdicts_;
};

}  // namespace rampart::health

#endif  // RAMPART_USERSPACE_HEALTH_PASSIVE_H_
