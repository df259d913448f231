// SPDX-License-Identifier: Apache-2.0
// A run for programs; docs/simulate.md describes the fields.
#ifndef RAMPART_TOOLS_SIMULATE_TO_JSON_H_
#define RAMPART_TOOLS_SIMULATE_TO_JSON_H_

#include <functional>
#include <string>

#include "simulate/run.h"
#include "simulate/scenario.h"

namespace rampart::simulate {

// Hands the text on in pieces: of a long run, one sample after another is much less than all at once.
void write_json(const Scenario& scenario, const Run& run, uint64_t seed,
                const std::function<void(const std::string&)>& write);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_TO_JSON_H_
