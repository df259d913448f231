// SPDX-License-Identifier: Apache-2.0
// Scenarios written in a test.
#ifndef RAMPART_TESTS_UNIT_SIMULATE_PLAYED_H_
#define RAMPART_TESTS_UNIT_SIMULATE_PLAYED_H_

#include <stdexcept>
#include <string>
#include <vector>

#include "simulate/parse.h"
#include "simulate/run.h"

namespace rampart::simulate {

// "3: text".
template <typename Found>
std::vector<std::string> lines_of(const std::vector<Found>& list) {
  std::vector<std::string> lines;
  for (const Found& one : list) lines.push_back(std::to_string(one.line) + ": " + one.text);
  return lines;
}

inline Scenario scenario_of(const std::string& text) {
  Parsed parsed = parse_scenario(text);
  if (!parsed.problems.empty()) {
    throw std::invalid_argument("the test's scenario: " + lines_of(parsed.problems).front());
  }
  return std::move(parsed.scenario);
}

inline Run played(const std::string& text, uint64_t seed = 0) {
  return run_scenario(scenario_of(text), seed);
}

// What does not hold.
inline std::vector<std::string> unmet_in(const std::string& text, uint64_t seed = 0) {
  return lines_of(played(text, seed).failures);
}

}  // namespace rampart::simulate

#endif  // RAMPART_TESTS_UNIT_SIMULATE_PLAYED_H_
