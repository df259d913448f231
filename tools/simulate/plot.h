// SPDX-License-Identifier: Apache-2.0
// A run as a picture: weights, shares, slots moved, and requests in flight where there are any.
#ifndef RAMPART_TOOLS_SIMULATE_PLOT_H_
#define RAMPART_TOOLS_SIMULATE_PLOT_H_

#include <string>

#include "simulate/run.h"
#include "simulate/scenario.h"

namespace rampart::simulate {

// SVG, the same bytes for the same run. Each curve is a group with class "series" and the attribute
// data-nodes, which names its nodes.
std::string plot(const Scenario& scenario, const Run& run);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_PLOT_H_
