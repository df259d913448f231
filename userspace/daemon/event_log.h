// SPDX-License-Identifier: Apache-2.0
// What happens to nodes, as lines of the log, and what the checks said last.
//
// Thread-safety: none; the control thread owns it.
#ifndef RAMPART_USERSPACE_DAEMON_EVENT_LOG_H_
#define RAMPART_USERSPACE_DAEMON_EVENT_LOG_H_

#include <map>
#include <set>
#include <string>
#include <utility>

#include "api/service.h"
#include "base/ids.h"
#include "control/controller.h"
#include "health/checker.h"

namespace rampart::daemon {

class EventLog {
 public:
  // Drains that ended, ramps, and panic as it begins and ends: takes what the controller has gathered.
  void note(control::Controller& controller);
  void note(const health::VerdictChange& change);

  // What the checks said last of a node, and when; nullptr if they have said nothing since the start.
  const api::VerdictReading* verdict(const ScopeId& scope, const Identity& identity) const;
  // Forgets what they said of other nodes: to be called when nodes have gone.
  void keep_verdicts_of(const engine::Snapshot& snapshot);

 private:
  void note_panic(const engine::Snapshot& snapshot);

  std::set<ScopeId> in_panic_;
  std::map<std::pair<ScopeId, Identity>, api::VerdictReading> verdicts_;
};

}  // namespace rampart::daemon

#endif  // RAMPART_USERSPACE_DAEMON_EVENT_LOG_H_
