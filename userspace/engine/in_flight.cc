// SPDX-License-Identifier: Apache-2.0
#include "engine/in_flight.h"

#include <limits>

#include "base/check.h"

namespace rampart::engine {

InFlight::Counter InFlight::name(const Identity& identity) {
  const auto [known, is_new] = counters_.try_emplace(identity);
  if (is_new) {
    if (unused_.empty()) {
      unused_.push_back(static_cast<Counter>(counts_.size()));
      counts_.emplace_back();
    }
    known->second = unused_.back();
    unused_.pop_back();
    counts_[known->second].identity = identity;
    counts_[known->second].last_turn = ++turns_;
  }
  ++counts_[known->second].names;
  return known->second;
}

void InFlight::unname(Counter counter) {
  RP_CHECK(counts_[counter].names > 0);
  --counts_[counter].names;
  forget_if_unused(counter);
}

uint32_t InFlight::take(Counter counter) {
  Count& count = counts_[counter];
  RP_CHECK(count.names > 0 || count.in_flight > 0);
  RP_CHECK(count.in_flight < std::numeric_limits<uint32_t>::max() - 1);  // a score adds one
  count.last_turn = ++turns_;
  return ++count.in_flight;
}

uint32_t InFlight::give(Counter counter) {
  RP_CHECK(counts_[counter].in_flight > 0);
  const uint32_t left = --counts_[counter].in_flight;
  forget_if_unused(counter);
  return left;
}

uint32_t InFlight::count_of(const Identity& identity) const {
  const auto known = counters_.find(identity);
  return known == counters_.end() ? 0 : counts_[known->second].in_flight;
}

void InFlight::forget_if_unused(Counter counter) {
  Count& count = counts_[counter];
  if (count.names > 0 || count.in_flight > 0) return;
  counters_.erase(count.identity);
  count.identity.clear();
  unused_.push_back(counter);
}

}  // namespace rampart::engine
