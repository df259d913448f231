// SPDX-License-Identifier: Apache-2.0
// Reads scenarios; docs/simulate.md is the description of their form.
#ifndef RAMPART_TOOLS_SIMULATE_PARSE_H_
#define RAMPART_TOOLS_SIMULATE_PARSE_H_

#include <string>
#include <string_view>
#include <vector>

#include "simulate/scenario.h"

namespace rampart::simulate {

struct Problem {
  int line = 0;
  std::string text;  // what is wrong, and what is allowed
};

struct Parsed {
  Scenario scenario;              // means something only if there are no problems
  std::vector<Problem> problems;  // at most one for each statement
};

Parsed parse_scenario(std::string_view text);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_PARSE_H_
