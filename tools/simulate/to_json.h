// SPDX-License-Identifier: Apache-2.0
// A run for programs; docs/simulate.md describes the fields.
#ifndef RAMPART_TOOLS_SIMULATE_TO_JSON_H_
#define RAMPART_TOOLS_SIMULATE_TO_JSON_H_

#include <nlohmann/json.hpp>

#include "simulate/run.h"
#include "simulate/scenario.h"

namespace rampart::simulate {

nlohmann::json to_json(const Scenario& scenario, const Run& run, uint64_t seed);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_TO_JSON_H_
