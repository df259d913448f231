// SPDX-License-Identifier: Apache-2.0
// What the processes of both planes take orders about.
#ifndef RAMPART_USERSPACE_API_STEERED_H_
#define RAMPART_USERSPACE_API_STEERED_H_

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/condition.h"
#include "engine/snapshot.h"

namespace rampart::api {

struct ReloadReading {
  bool successful = true;
  std::chrono::system_clock::time_point at;
  std::vector<std::string> problems;  // of the last reload, if it was refused
  std::vector<std::string> waiting;   // keys whose change in the file needs a restart
  uint64_t refused = 0;               // reloads, since the start
  // Of the last reload: reading and checking the file; from there to the last map write.
  std::chrono::microseconds read{0}, applied{0};
};

// C4: whether a reload may remove most of what is in force.
enum class Brake { kHolds, kReleased };

struct ReloadReport {
  std::vector<std::string> changes;
  std::vector<std::string> notes;  // warnings, and what needs a restart
  // Either not empty: refused, and nothing changed.
  std::vector<std::string> problems;   // with the file
  std::vector<std::string> held_back;  // by the brake: what would have been removed
};

// What a node's checks said, when its verdict changed the last time.
struct VerdictReading {
  std::string reason;
  std::chrono::system_clock::time_point at;
};

class Steered {
 public:
  virtual ~Steered() = default;

  virtual const engine::Snapshot& snapshot() const = 0;
  // As a node looks in answers, for each of its VIPs where it has some; empty if there is none of this name.
  virtual nlohmann::json nodes_named(const std::string& name) const = 0;
  virtual ReloadReport reload(Brake brake) = 0;
  // REQUIRES of the three: the scope has the node. `by` is the order's signature.
  virtual void set_admin(const ScopeId& scope, const Identity& identity, engine::Admin admin,
                         const std::string& by) = 0;
  virtual void set_override(const ScopeId& scope, const Identity& identity,
                            std::optional<uint32_t> weight, const std::string& by) = 0;
  // False where there is nothing to ramp (S3.25).
  virtual bool start_ramp(const ScopeId& scope, const Identity& identity) = 0;
};

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_STEERED_H_
