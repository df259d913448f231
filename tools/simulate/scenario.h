// SPDX-License-Identifier: Apache-2.0
// A scenario as values: a pool, what happens to it when, and what should follow. docs/simulate.md
// shows the text that they are read from.
#ifndef RAMPART_TOOLS_SIMULATE_SCENARIO_H_
#define RAMPART_TOOLS_SIMULATE_SCENARIO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "engine/panic.h"
#include "engine/picker.h"
#include "engine/scope.h"

namespace rampart::simulate {

using engine::Algorithm;
const char* name_of(Algorithm algorithm);

// Requests that come to the pool, each a flow that lasts for a while. What is drawn is distributed
// exponentially about its mean, from the seed of the run; what is not comes like a clock.
struct Load {
  double per_second = 0;
  bool gaps_drawn = false;
  Duration lasting{0};
  bool lasting_drawn = false;

  bool is_some() const { return per_second > 0; }
};

// Words for the attributes of a node.
inline constexpr const char* kPriority = "priority";
inline constexpr const char* kAddress = "address";

struct Settings {
  std::optional<engine::SlowStart> slow_start{};
  std::optional<std::string> check{};  // name of the definition of its active check
  engine::PanicPolicy panic{};
  bool discovered = false;
  Algorithm algorithm = Algorithm::kRoundRobin;
  uint32_t table_size = 65537;
  Load load{};
};

enum class Verb {
  kAdd,
  kRemove,
  kWeight,
  kMove,
  kSet,
  kOverride,
  kClear,
  kDown,
  kUp,
  kUnknown,
  kDrain,
  kUndrain,
  kMaintenance,
  kReady,
  kRestart,
  kReboot,
};

struct Action {
  Verb verb = Verb::kAdd;
  std::string label{};                // for people: "add c", "set window=40s"
  std::vector<engine::Node> nodes{};  // with what the verb gives them: weight, priority, addresses
  bool ramp = false;                  // kUndrain, kReady: by request (S3.25)
  Settings settings{};                // kSet: all of them from then on
  Duration away{0};                   // kRestart, kReboot: until the process is back
  bool state_lost = false;            // kRestart, kReboot: there is no state file
};

enum class Quantity { kShown, kState, kSlots, kShare, kRequests, kInFlight, kMoved, kPanic };
enum class Comparison { kEqual, kAtMost, kAtLeast };

struct Expectation {
  int line = 0;
  Identity node{};  // empty: kMoved and kPanic are about the whole pool
  Quantity quantity = Quantity::kShown;
  Comparison comparison = Comparison::kEqual;
  double number = 0;
  double tolerance = 0;  // kShare is meant to the digits that were written
  std::string text{};    // kState, kPanic
};

// Actions that change what is listed (add, remove, weight, move, set) are one update, before the
// rest of the moment.
struct Moment {
  int line = 0;
  TimePoint at{};
  std::vector<Action> actions{};
  std::vector<Expectation> expected{};
};

struct Scenario {
  std::string title{};  // the first line, if it is a comment, without the rules that it names
  std::vector<std::string> rules{};
  std::vector<engine::Node> pool{};
  Settings settings{};
  std::vector<Moment> moments{};  // times never decrease
  TimePoint until{};              // at least the last moment's time
};

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_SCENARIO_H_
