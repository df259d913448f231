// SPDX-License-Identifier: Apache-2.0
// How people read nodes and times of a run.
#ifndef RAMPART_TOOLS_SIMULATE_NAMES_H_
#define RAMPART_TOOLS_SIMULATE_NAMES_H_

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace rampart::simulate {

// Where the digits begin that a name ends with: "b12" is "b" and "12".
size_t digits_begin(const Identity& name);

// {"b1", "b2", "b3", "c"} is "b1..b3 c". Numbers count as numbers: b2 is before b10.
std::string short_form(std::vector<Identity> names);
// In the order in which short_form() has them.
void sort_naturally(std::vector<Identity>& names);

double seconds_of(TimePoint at);
Duration duration_of_seconds(double seconds);
// "90s", "5.5s".
std::string text_of(TimePoint at);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_NAMES_H_
