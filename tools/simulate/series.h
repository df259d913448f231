// SPDX-License-Identifier: Apache-2.0
// A run as curves over time. Nodes whose weights are equal all the time are one series: ten lines
// that hide each other say less than one with ten names.
#ifndef RAMPART_TOOLS_SIMULATE_SERIES_H_
#define RAMPART_TOOLS_SIMULATE_SERIES_H_

#include <optional>
#include <string>
#include <vector>

#include "simulate/run.h"

namespace rampart::simulate {

// One value for each sample, which holds until the next one; nothing: the node is not there.
using Curve = std::vector<std::optional<double>>;

struct Series {
  std::vector<Identity> nodes;
  Curve weight;     // effective, of each node
  Curve share;      // percent of the slots, of all nodes together
  Curve in_flight;  // the mean of those nodes that are there
};

// By first appearance, then by name.
std::vector<Series> series_of(const std::vector<Sample>& samples);

// Levels of lines in pixels, one curve a line. Lines of `width` px that share a level are moved to lie
// side by side around it: on top of each other, all but one would be hidden or blend. Where they are
// more than four, some share a place.
std::vector<Curve> side_by_side(std::vector<Curve> levels, int width);

// Slots moved from the beginning until each sample.
Curve total_moved(const std::vector<Sample>& samples);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_SERIES_H_
