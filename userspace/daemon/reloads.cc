// SPDX-License-Identifier: Apache-2.0
#include "daemon/reloads.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "control/brake.h"
#include "control/config_diff.h"

namespace rampart::daemon {
api::ReloadReport Reloads::run(api::Brake brake) {
  second_signal_.forget();
  return read_and_apply([brake](const Lines&) { return brake == api::Brake::kReleased; });
}

api::ReloadReport Reloads::run_by_signal(TimePoint now) {
  return read_and_apply(
      [this, now](const Lines& held_back) { return second_signal_.insists(held_back, now); });
}

api::ReloadReport Reloads::read_and_apply(const std::function<bool(const Lines&)>& may_pass) {
  api::ReloadReport report;
  const auto began = std::chrono::steady_clock::now();
  control::ParseResult parsed = control::load_config(file_);
  const auto read = std::chrono::steady_clock::now();
  for (const control::Problem& problem : parsed.problems) {
    report.problems.push_back(control::to_string(problem, file_));
  }
  for (const control::Problem& warning : parsed.warnings) {
    report.notes.push_back(control::to_string(warning, file_));
  }
  if (report.problems.empty()) {
    Lines held_back = control::held_back(*plane_.controller().config(), parsed.config);
    if (held_back.empty() || may_pass(held_back)) {
      apply(std::move(parsed.config), report);
    } else {
      report.held_back = std::move(held_back);
    }
  }
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  last_.read = duration_cast<microseconds>(read - began);
  last_.applied = duration_cast<microseconds>(std::chrono::steady_clock::now() - read);
  note(report);
  return report;
}

void Reloads::apply(control::Config read, api::ReloadReport& report) {
  const control::Config from = *plane_.controller().config();
  last_.waiting = control::needs_restart(from, read);
  report.notes.insert(report.notes.end(), last_.waiting.begin(), last_.waiting.end());
  const control::Config to = control::keep_static_keys(from, std::move(read));
  const Lines lost = control::lost_orders(plane_.controller().snapshot(), to, control::Plane::kL4);
  const auto accepted = plane_.accept(to);
  if (accepted) {
    report.changes = control::describe_changes(from, to);
    report.notes.insert(report.notes.end(), lost.begin(), lost.end());
    for (std::string& line : interfaces_.follow(from, to)) report.notes.push_back(std::move(line));
  } else if (accepted.error().code == Code::kInvalidConfig) {
    report.problems.push_back(file_ + ": " + accepted.error().text);
  } else {
    report.notes.push_back(accepted.error().text + ": tried again every second");
  }
}

void Reloads::note(const api::ReloadReport& report) {
  last_.problems = report.problems;
  last_.problems.insert(last_.problems.end(), report.held_back.begin(), report.held_back.end());
  last_.successful = last_.problems.empty();
  last_.at = std::chrono::system_clock::now();
  last_.refused += last_.successful ? 0 : 1;
  for (const std::string& line : last_.problems) log::error("reload refused: " + line);
  for (const std::string& line : report.notes) log::warn("reload: " + line);
  for (const std::string& line : report.changes) log::info("reload: " + line);
}

}  // namespace rampart::daemon
