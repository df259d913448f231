// SPDX-License-Identifier: Apache-2.0
#include "daemon/accept_read.h"

#include <utility>

#include "control/config_diff.h"

namespace rampart::daemon {

std::vector<std::string> accept_read(control::Config read, const std::string& file, Plane& plane,
                                     Interfaces& interfaces, api::ReloadReport& report) {
  const control::Config from = *plane.controller().config();
  std::vector<std::string> waiting = control::needs_restart(from, read);
  report.notes.insert(report.notes.end(), waiting.begin(), waiting.end());
  const control::Config to = control::keep_static_keys(from, std::move(read));
  const std::vector<std::string> lost =
      control::lost_orders(plane.controller().snapshot(), to, control::Plane::kL4);
  const auto accepted = plane.accept(to);
  if (accepted) {
    report.changes = control::describe_changes(from, to);
    report.notes.insert(report.notes.end(), lost.begin(), lost.end());
    for (std::string& line : interfaces.follow(from, to)) report.notes.push_back(std::move(line));
  } else if (accepted.error().code == Code::kInvalidConfig) {
    report.problems.push_back(file + ": " + accepted.error().text);
  } else {
    report.notes.push_back(accepted.error().text + ": tried again every second");
  }
  return waiting;
}

}  // namespace rampart::daemon
