// SPDX-License-Identifier: Apache-2.0
// Runs a scenario through the engine alone.
#ifndef RAMPART_TESTS_UNIT_ENGINE_SCENARIO_RUN_H_
#define RAMPART_TESTS_UNIT_ENGINE_SCENARIO_RUN_H_

#include <string>
#include <vector>

#include "unit/engine/scenario_file.h"

namespace rampart::engine {

// What did not hold, one sentence each, in the order of the file; empty if everything held.
std::vector<std::string> run_scenario(const Scenario& scenario);

}  // namespace rampart::engine

#endif  // RAMPART_TESTS_UNIT_ENGINE_SCENARIO_RUN_H_
