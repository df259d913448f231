// SPDX-License-Identifier: Apache-2.0
// What happened when, as labels above a plot that never cover each other.
//
// A label begins at its moment's line and stands in a lane; the line ends there. Going from left to
// right, a label takes the lane below the lowest one that still covers its place, so that its line
// rises through no label; where that is one lane too many, the highest lane that is free. A label
// that would leave the plot on the right ends at its line instead. Where a line has to pass a text, it is
// broken.
#ifndef RAMPART_TOOLS_SIMULATE_MARKERS_H_
#define RAMPART_TOOLS_SIMULATE_MARKERS_H_

#include <string>
#include <vector>

namespace rampart::simulate {

struct Marker {
  double x = 0;
  std::string label;
  int lane = 0;  // 0 is the top
  bool ends_at_x = false;
  bool labelled = true;  // false: there was no lane left for it
};

// REQUIRES: `markers` ascend by x. `width` is that of the plot.
std::vector<Marker> placed(std::vector<Marker> markers, double width, double font_size);

// Where a text stands, and the parts of an upright line at `x` that cross none.
struct Box {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
};
struct Stretch {
  double top = 0;
  double bottom = 0;
};
std::vector<Stretch> uncovered(double x, Stretch line, std::vector<Box> texts);

int lanes_of(const std::vector<Marker>& markers);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_MARKERS_H_
