// SPDX-License-Identifier: Apache-2.0
// Reads the configuration file again, and has what it says be in force, or refuses it whole (C3, C4).
//
// Thread-safety: none; the control thread owns it.
#ifndef RAMPART_USERSPACE_DAEMON_RELOADS_H_
#define RAMPART_USERSPACE_DAEMON_RELOADS_H_

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "api/service.h"
#include "base/time.h"
#include "control/brake.h"
#include "control/config.h"
#include "daemon/interfaces.h"
#include "daemon/plane.h"

namespace rampart::daemon {

class Reloads {
 public:
  // REQUIRES: plane and interfaces outlive this.
  Reloads(std::string file, Plane& plane, Interfaces& interfaces)
      : file_(std::move(file)), plane_(plane), interfaces_(interfaces) {}

  api::ReloadReport run(api::Brake brake);
  // As control::SecondSignal has it.
  api::ReloadReport run_by_signal(TimePoint now);

  const api::ReloadReading& last() const { return last_; }

 private:
  using Lines = std::vector<std::string>;

  // `may_pass`: what the brake would hold back.
  api::ReloadReport read_and_apply(const std::function<bool(const Lines&)>& may_pass);
  void apply(control::Config read, api::ReloadReport& report);
  void note(const api::ReloadReport& report);

  std::string file_;
  Plane& plane_;
  Interfaces& interfaces_;
  api::ReloadReading last_{
      .successful = true, .at = std::chrono::system_clock::now(), .problems = {}, .waiting = {}};
  control::SecondSignal second_signal_;
};

}  // namespace rampart::daemon

#endif  // RAMPART_USERSPACE_DAEMON_RELOADS_H_
