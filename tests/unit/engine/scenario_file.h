// SPDX-License-Identifier: Apache-2.0
// Timelines as text (tests/scenarios/*.txt): what happens to a pool, and what weights follow.
//
//     # a comment, to the end of the line
//     pool a=100 b=50  window=10s floor=1% interval=1s
//     at 0s     add c=100
//     at 5.5s   down a b   expect c=55 state=ramping
//     at 20s               expect c=100 a=0
//
// A pool has nodes with weights, and the settings of its slow start block, if any:
// - window, floor, interval, aggression, grace, on_recovery; and slow_start=off.
//
// A moment has an action, or expectations, or both; the action comes first:
// - add NODE=WEIGHT and weight NODE=WEIGHT, remove NODE, down NODE, up NODE, set SETTING=VALUE,
//   each with one or more;
// - expect NODE=SHOWN compares the shown weight, a state=STATE that follows it the lifecycle.
//
// The pool is first seen at 0 s, which is also when the process starts. Times never decrease.
#ifndef RAMPART_TESTS_UNIT_ENGINE_SCENARIO_FILE_H_
#define RAMPART_TESTS_UNIT_ENGINE_SCENARIO_FILE_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "engine/scope.h"

namespace rampart::engine {

struct Expectation {
  Identity node;
  uint32_t shown = 0;
  std::optional<std::string> state;
};

enum class Verb { kNothing, kPut, kRemove, kDown, kUp, kSet };

struct Moment {
  int line = 0;
  TimePoint at;
  Verb verb = Verb::kNothing;
  std::map<Identity, uint32_t> weights;  // kPut
  std::vector<Identity> nodes;           // kRemove, kDown, kUp
  std::optional<SlowStart> block;        // kSet: the whole block from then on
  std::vector<Expectation> expected;
};

struct Scenario {
  std::map<Identity, uint32_t> pool;
  std::optional<SlowStart> block;
  std::vector<Moment> moments;
};

// An error names its line.
Result<Scenario> parse_scenario(std::string_view text);

}  // namespace rampart::engine

#endif  // RAMPART_TESTS_UNIT_ENGINE_SCENARIO_FILE_H_
