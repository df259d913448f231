// SPDX-License-Identifier: Apache-2.0
#include "control/config_findings.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace rampart::control {
namespace {

std::vector<Problem> in_file_order(std::vector<Problem> list) {
  std::stable_sort(list.begin(), list.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  return list;
}

}  // namespace

void Findings::problem(Place place, std::string path, std::string text) {
  if (full()) {
    cut_ = true;
    return;
  }
  problems_.push_back({place.line, place.column, std::move(path), std::move(text)});
}

void Findings::warning(Place place, std::string path, std::string text) {
  if (warnings_.size() >= kMost) return;
  warnings_.push_back({place.line, place.column, std::move(path), std::move(text)});
}

std::vector<Problem> Findings::take_problems() {
  std::vector<Problem> list = in_file_order(std::move(problems_));
  if (cut_) {
    list.push_back(
        {list.back().line, list.back().column, "", "more problems than are listed here"});
  }
  return list;
}

std::vector<Problem> Findings::take_warnings() {
  return in_file_order(std::move(warnings_));
}

}  // namespace rampart::control
