// SPDX-License-Identifier: Apache-2.0
#include "simulate/chooser.h"

#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace rampart::simulate {

using engine::Algorithm;

Chooser::Chooser(Algorithm algorithm, const VipTable& table, uint64_t seed)
    : settings_{.algorithm = algorithm, .instance_seed = seed}, table_(table), random_(seed) {
  // The picker would build a table of its own.
  if (algorithm == Algorithm::kChash) settings_.algorithm = Algorithm::kRoundRobin;
  uses_table_ = algorithm == Algorithm::kChash;
}

void Chooser::follow(const engine::ScopeState& scope) {
  const auto* former = picker_ ? &picker_->nodes() : nullptr;
  auto next = engine::PickerNodes::make(settings_, engine::picker_nodes_of(scope), former);
  RP_CHECK(next.ok());  // only chash's table can be too small
  picker_ =
      picker_ ? engine::Picker(*next, *picker_) : engine::Picker(*next, settings_.instance_seed);
}

std::optional<Chooser::Held> Chooser::next_of_table() {
  random_ = mix64(random_);
  Held held;
  held.node = table_.owner_of(static_cast<uint32_t>(random_ % table_.size()));
  if (held.node.empty()) return std::nullopt;
  return held;
}

std::optional<Chooser::Held> Chooser::next() {
  if (uses_table_) return next_of_table();
  auto pick = picker_->pick(0);
  if (!pick) return std::nullopt;
  Held held;
  held.node = picker_->nodes().nodes()[pick->node].identity;
  held.lease_ = std::move(pick->lease);
  return held;
}

std::optional<Chooser::Held> Chooser::take() {
  auto held = next();
  if (held) ++in_flight_[held->node];
  return held;
}

void Chooser::give_back(Held held) {
  --in_flight_.at(held.node);
}

uint64_t Chooser::in_flight_at(const Identity& node) const {
  const auto found = in_flight_.find(node);
  return found == in_flight_.end() ? 0 : found->second;
}

}  // namespace rampart::simulate
