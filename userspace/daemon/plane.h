// SPDX-License-Identifier: Apache-2.0
// The data plane of one instance, opened and adopted: the loaded object, its maps, next hops, grace
// periods, the state file, and the control loop over them.
#ifndef RAMPART_USERSPACE_DAEMON_PLANE_H_
#define RAMPART_USERSPACE_DAEMON_PLANE_H_

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/service.h"
#include "base/fd.h"
#include "base/ip.h"
#include "base/result.h"
#include "control/config.h"
#include "control/controller.h"
#include "control/next_hops.h"
#include "control/state_file.h"
#include "dataplane/attach.h"
#include "dataplane/explainer.h"
#include "dataplane/flow_sweeper.h"
#include "dataplane/neighbours.h"
#include "dataplane/object.h"
#include "maps/grace.h"
#include "maps/kernel_map_store.h"

namespace rampart::daemon {

dataplane::Mode mode_of(control::AttachMode mode);

class Plane {
 public:
  // Loads or adopts the instance that `config` names. A second daemon on one instance is refused
  // (O7). `on_grace` is called on another thread when a grace period ended.
  static Result<std::unique_ptr<Plane>> open(const control::Config& config,
                                             std::function<void()> on_grace);

  // Applies a configuration; the next hops of backends that are new to it are looked up first, and
  // waited for shortly, so that no packet is sent to where nobody is known.
  Result<void> accept(control::Config config);
  Result<dataplane::Attachment> attach(const std::string& interface, dataplane::Mode mode);
  Result<void> detach(const std::string& interface);

  // Asks the packet program (dataplane/explainer.h), which is loaded for it the first time.
  Result<dataplane::Explanation> explain(const dataplane::Probe& probe);

  // Looks up routes and neighbours, and writes what changed.
  Result<void> refresh_next_hops();
  // Has the kernel resolve what the packet program missed.
  void resolve_missed();
  // The next part of a pass over the flow table; true if that ended it.
  bool sweep();
  bool sweeping() const { return sweeper_->running(); }
  // The periodic reconcile: pins and maps are as they were left, or mended (O6).
  Result<void> reconcile();
  uint64_t repairs() const { return repairs_; }  // since the start
  // Keeps what the engine knows for the next process, if it changed.
  Result<void> save_state();
  // Detaches, and removes every pin: what the instance knew is gone.
  Result<void> remove();

  const std::string& folder() const { return object_->folder(); }
  std::string program_tag() const { return object_->program_tag(); }
  bool adopted() const { return object_->adopted(); }
  control::Controller& controller() { return *controller_; }
  const control::Controller& controller() const { return *controller_; }
  dataplane::Neighbours& neighbours() { return *neighbours_; }
  const dataplane::Neighbours& neighbours() const { return *neighbours_; }
  const maps::Doors& doors() const { return store_->doors(); }
  api::FlowTableReading flow_table() const { return flow_table_; }

 private:
  Plane() = default;
  void restore_state(const control::Config& config);
  void await_next_hops(const std::set<IpAddress>& newcomers);
  void note_flow_stats();

  Fd lock_;
  dataplane::ObjectOptions options_;
  std::unique_ptr<dataplane::Object> object_;
  std::unique_ptr<dataplane::Explainer> explainer_;  // none until somebody asks
  std::unique_ptr<maps::KernelMapStore> store_;
  std::unique_ptr<dataplane::FlowSweeper> sweeper_;
  api::FlowTableReading flow_table_;
  std::optional<rp_flow_stats> flow_stats_;  // as of the last sweep
  std::unique_ptr<dataplane::Neighbours> neighbours_;
  std::unique_ptr<control::NextHops> hops_;
  std::unique_ptr<maps::KernelGracePeriods> grace_;
  std::unique_ptr<control::Controller> controller_;
  std::unique_ptr<control::StateFile> state_file_;
  uint64_t repairs_ = 0;
};

}  // namespace rampart::daemon

#endif  // RAMPART_USERSPACE_DAEMON_PLANE_H_
