// SPDX-License-Identifier: Apache-2.0
// A scenario as a picture: weights, shares, slots moved, and requests in flight where there are any.
#ifndef RAMPART_TOOLS_SIMULATE_PLOT_H_
#define RAMPART_TOOLS_SIMULATE_PLOT_H_

#include <cstdint>
#include <string>

#include "simulate/scenario.h"

namespace rampart::simulate {

// Runs the scenario a little beyond an event at its very end, whose result nobody would see else, and
// for a second where it has no length.
//
// SVG, the same bytes for the same seed. Each curve is a group with class "series" and the attribute
// data-nodes, which names its nodes.
std::string plot(Scenario scenario, uint64_t seed);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_PLOT_H_
