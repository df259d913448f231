// SPDX-License-Identifier: Apache-2.0
#include "simulate/traffic.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/hash.h"

namespace rampart::simulate {
namespace {

// A number in (0, 1], and the state for the next one.
double uniform(uint64_t random) {
  constexpr double kSteps = 0x1p53;
  return (static_cast<double>(random >> 11) + 1) / kSteps;
}

// No longer than 30 years, beyond all that is played: a time can be added to it.
Duration duration_of_ns(double ns) {
  return Duration(std::llround(std::min(ns, 1e18)));
}

Duration gap_of(const Load& load) {
  return duration_of_ns(1e9 / load.per_second);
}

}  // namespace

Traffic::Traffic(engine::Algorithm algorithm, const VipTable& table, uint64_t seed)
    : chooser_(algorithm, table, seed), random_(mix64(seed)) {}

Duration Traffic::drawn(Duration mean) {
  random_ = mix64(random_);
  const double times = -std::log(uniform(random_));
  return duration_of_ns(static_cast<double>(mean.count()) * times);
}

void Traffic::set_load(const Load& load, TimePoint now) {
  const bool same_pace = load.per_second == load_.per_second && load.gaps_drawn == load_.gaps_drawn;
  load_ = load;
  if (same_pace) return;
  next_.reset();
  if (load.is_some()) next_ = now + (load.gaps_drawn ? drawn(gap_of(load)) : Duration(0));
}

void Traffic::run_to(TimePoint until) {
  for (;;) {
    const bool request = next_ && *next_ < until;
    const bool end = !ends_.empty() && ends_.begin()->first < until;
    if (!request && !end) return;
    // What ends at the moment of a request has ended.
    if (end && (!request || ends_.begin()->first <= *next_)) {
      end_one();
    } else {
      begin_one();
    }
  }
}

void Traffic::begin_one() {
  const TimePoint now = *next_;
  next_ = now + (load_.gaps_drawn ? drawn(gap_of(load_)) : gap_of(load_));
  auto held = chooser_.take();
  if (!held) {
    ++unserved_;
    return;
  }
  ++requests_[held->node];
  const Duration lasting = load_.lasting_drawn ? drawn(load_.lasting) : load_.lasting;
  ends_.emplace(now + lasting, *std::move(held));
}

void Traffic::end_one() {
  chooser_.give_back(std::move(ends_.extract(ends_.begin()).mapped()));
}

void Traffic::lose_flows() {
  while (!ends_.empty()) end_one();
}

uint64_t Traffic::requests_to(const Identity& node) const {
  const auto found = requests_.find(node);
  return found == requests_.end() ? 0 : found->second;
}

}  // namespace rampart::simulate
