// SPDX-License-Identifier: Apache-2.0
// Reads the configuration file again, and has what it says be in force, or refuses it whole (C3, C4).
//
// Thread-safety: none; the control thread owns it.
#ifndef RAMPART_USERSPACE_PROGRAM_RELOADS_H_
#define RAMPART_USERSPACE_PROGRAM_RELOADS_H_

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "api/steered.h"
#include "base/time.h"
#include "control/brake.h"
#include "control/config.h"

namespace rampart::program {

class Reloads {
 public:
  // What is in force, and how it is replaced: `apply` has what was read be in force and says in the report
  // what that changed or why it refuses; it returns the keys whose change waits for a restart.
  struct Target {
    std::function<const control::Config&()> in_force;
    std::function<std::vector<std::string>(control::Config read, api::ReloadReport& report)> apply;
  };
  Reloads(std::string file, Target target) : file_(std::move(file)), target_(std::move(target)) {}

  api::ReloadReport run(api::Brake brake);
  // As control::SecondSignal has it.
  api::ReloadReport run_by_signal(TimePoint now);

  const api::ReloadReading& last() const { return last_; }

 private:
  using Lines = std::vector<std::string>;

  // `may_pass`: what the brake would hold back.
  api::ReloadReport read_and_apply(const std::function<bool(const Lines&)>& may_pass);
  void note(const api::ReloadReport& report);

  std::string file_;
  Target target_;
  api::ReloadReading last_{
      .successful = true, .at = std::chrono::system_clock::now(), .problems = {}, .waiting = {}};
  control::SecondSignal second_signal_;
};

}  // namespace rampart::program

#endif  // RAMPART_USERSPACE_PROGRAM_RELOADS_H_
