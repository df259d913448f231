// SPDX-License-Identifier: Apache-2.0
// Scales of a plot: from values to pixels, with ticks at round numbers.
#ifndef RAMPART_TOOLS_SIMULATE_AXIS_H_
#define RAMPART_TOOLS_SIMULATE_AXIS_H_

#include <string>
#include <vector>

namespace rampart::simulate {

struct Tick {
  double value = 0;
  std::string label;
};

// The least of 1, 2 or 5 times a power of ten that is at least `least`. REQUIRES: least > 0.
double round_step(double least);

// Ticks from 0 to at least `most`, about `count` of them: multiples of 1, 2 or 5 times a power of
// ten. The last one is the end of the scale.
std::vector<Tick> ticks_to(double most, int count);

// Ticks of a time axis, none beyond `seconds`: multiples of what people count in, labelled with one
// unit (s, min, h).
std::vector<Tick> time_ticks(double seconds, int count);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_AXIS_H_
