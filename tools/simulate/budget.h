// SPDX-License-Identifier: Apache-2.0
// What it would take to play a scenario, estimated while it is read: an hour of simulated time takes
// a moment, but a file can ask for more than a machine has. What is within the limits is played within
// about a minute and 1 GB; docs/simulate.md has them.
#ifndef RAMPART_TOOLS_SIMULATE_BUDGET_H_
#define RAMPART_TOOLS_SIMULATE_BUDGET_H_

#include <optional>
#include <string>

#include "simulate/scenario.h"

namespace rampart::simulate {

// 0.3 us each; 5 us at least_conn's 2,000 nodes with all in flight. As much again for the picture.
inline constexpr double kMostRequests = 5e6;
// 90 bytes each, and the name of the node.
inline constexpr double kMostInFlight = 1e6;
// Each step of a ramp looks at each slot: 8 ns each, 24 ns where the table is beyond the caches.
inline constexpr double kMostSlotsVisited = 1e9;
// Each step keeps each node: 350 bytes each, and 40 us where all of it is written as JSON.
inline constexpr double kMostRows = 500e3;

class Budget {
 public:
  // The pool at 0 s. `nodes` are all that were ever listed, each address for one.
  void begin(const Settings& settings, size_t nodes);
  // Time goes on to a moment; then the settings and nodes are these. Returns what is too much so far.
  std::optional<std::string> add(const Moment& moment, const Settings& settings, size_t nodes);
  // Time goes on to the end.
  std::optional<std::string> end(TimePoint until);

 private:
  void pass_to(TimePoint at);
  void add_steps(double count);
  double rows() const;
  double in_flight() const;
  std::optional<std::string> excess() const;

  // As of now_.
  TimePoint now_;
  TimePoint ramping_until_;  // at the latest
  Settings settings_;
  double nodes_ = 0;

  // Until now_.
  double requests_ = 0;
  double slots_visited_ = 0;
  double rows_ = 0;
  double most_per_second_ = 0;
  double longest_ = 0;  // s, of a request
};

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_BUDGET_H_
