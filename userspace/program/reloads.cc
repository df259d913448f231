// SPDX-License-Identifier: Apache-2.0
#include "program/reloads.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "control/brake.h"

namespace rampart::program {

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
    Lines held_back = control::held_back(target_.in_force(), parsed.config);
    if (held_back.empty() || may_pass(held_back)) {
      last_.waiting = target_.apply(std::move(parsed.config), report);
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

}  // namespace rampart::program
