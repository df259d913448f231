// SPDX-License-Identifier: Apache-2.0
#include "http/authority.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "control/planes.h"

namespace rampart::http {

Result<void> Authority::accept(control::Config config, TimePoint now) {
  if (auto usable = publisher_.configure(config); !usable) return usable;
  config_ = std::move(config);
  ++epoch_;
  engine_.set_desired(control::scopes_of(*config_, control::Plane::kL7), now);
  tick(now);
  return {};
}

void Authority::tick(TimePoint now) {
  engine::StepResult step = engine_.step(now);
  std::move(step.events.begin(), step.events.end(), std::back_inserter(events_));
  if (auto published = publisher_.publish(*step.snapshot, now)) {
    board_.publish(*std::move(published));
  }
}

std::optional<TimePoint> Authority::next_deadline() const {
  const auto engine = engine_.next_deadline();
  const auto refill = publisher_.next_refill();
  return engine && refill ? std::min(*engine, *refill) : engine ? engine : refill;
}

}  // namespace rampart::http
