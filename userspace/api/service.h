// SPDX-License-Identifier: Apache-2.0
// What the API asks of the daemon: readings as plain values, and the few actions.
#ifndef RAMPART_USERSPACE_API_SERVICE_H_
#define RAMPART_USERSPACE_API_SERVICE_H_

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "api/steered.h"
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

struct FlowTableReading {
  uint64_t entries = 0;  // in use at the last sweep; a nat flow has two
  uint64_t drift = 0;    // of flow counts, corrected since the start (F6)
  // Packets between the last two sweeps whose flow got no entry (F8, F9).
  uint64_t refused_lately = 0;
  uint64_t limited_lately = 0;
};

class Service : public Steered {
 public:
  const engine::Snapshot& snapshot() const final { return controller().snapshot(); }
  nlohmann::json nodes_named(const std::string& name) const final;

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
  virtual Result<dataplane::Attachment> attach(const std::string& interface,
                                               dataplane::Mode mode) = 0;
  virtual Result<void> detach(const std::string& interface) = 0;
  // What would become of a packet; changes nothing. The first question takes a moment.
  virtual Result<dataplane::Explanation> explain(const dataplane::Probe& probe) = 0;
  // The interface of the kernel's route to an address; 0 if there is none.
  virtual uint32_t ifindex_towards(const IpAddress& address) = 0;
};

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_SERVICE_H_
