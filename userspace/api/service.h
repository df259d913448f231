// SPDX-License-Identifier: Apache-2.0
// What the API asks of the daemon: readings as plain values, and the few actions.
#ifndef RAMPART_USERSPACE_API_SERVICE_H_
#define RAMPART_USERSPACE_API_SERVICE_H_

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/config.h"
#include "control/controller.h"
#include "dataplane/attach.h"
#include "dataplane/explainer.h"
#include "dataplane/neighbours.h"
#include "maps/doors.h"

namespace rampart::api {

struct InterfaceReading {
  dataplane::Attachment attachment;
  bool attached = false;
  bool detached_by_order = false;
  bool in_file = false;  // O4: what was done at run time differs from the file
};

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

struct FlowTableReading {
  uint64_t entries = 0;  // in use at the last sweep; a nat flow has two
  uint64_t drift = 0;    // of flow counts, corrected since the start (F6)
  // Packets between the last two sweeps whose flow got no entry (F8, F9).
  uint64_t refused_lately = 0;
  uint64_t limited_lately = 0;
};

// What a node's checks said, when its verdict changed the last time.
struct VerdictReading {
  std::string reason;
  std::chrono::system_clock::time_point at;
};

class Service {
 public:
  virtual ~Service() = default;

  virtual const control::Controller& controller() const = 0;
  virtual const maps::Doors& doors() const = 0;
  virtual const dataplane::Neighbours& neighbours() const = 0;
  virtual std::vector<InterfaceReading> interfaces() const = 0;
  virtual FlowTableReading flow_table() const = 0;
  virtual const ReloadReading& last_reload() const = 0;
  // Of a node that is listed; nullptr if its checks have said nothing since the start.
  virtual const VerdictReading* verdict(const ScopeId& scope, const Identity& identity) const = 0;
  // What the periodic reconcile found changed and mended, since the start (O6).
  virtual uint64_t repairs() const = 0;
  virtual const std::string& config_file() const = 0;
  virtual std::string program_tag() const = 0;
  virtual std::chrono::system_clock::time_point started() const = 0;

  virtual dataplane::Mode mode_of(const control::InterfaceConfig& interface) const = 0;
  virtual ReloadReport reload(Brake brake) = 0;
  virtual Result<dataplane::Attachment> attach(const std::string& interface,
                                               dataplane::Mode mode) = 0;
  virtual Result<void> detach(const std::string& interface) = 0;
  // Orders of an operator about a node that is listed; `by`: who and when. They hold at once.
  virtual void set_admin(const ScopeId& scope, const Identity& identity, engine::Admin admin,
                         const std::string& by) = 0;
  virtual void set_override(const ScopeId& scope, const Identity& identity,
                            std::optional<uint32_t> weight, const std::string& by) = 0;
  // False where there is nothing to ramp (S3.25).
  virtual bool start_ramp(const ScopeId& scope, const Identity& identity) = 0;
  // What would become of a packet; changes nothing. The first question takes a moment.
  virtual Result<dataplane::Explanation> explain(const dataplane::Probe& probe) = 0;
  // The interface of the kernel's route to an address; 0 if there is none.
  virtual uint32_t ifindex_towards(const IpAddress& address) = 0;
};

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_SERVICE_H_
