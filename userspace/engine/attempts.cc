// SPDX-License-Identifier: Apache-2.0
#include "engine/attempts.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace rampart::engine {
namespace {

// Of a generation without nodes one try may be made too: it finds nobody.
uint64_t most_tries(const std::vector<PickerNode>& nodes, std::optional<uint32_t> retries) {
  return retries ? uint64_t{*retries} + 1 : std::max<uint64_t>(1, nodes.size());
}

bool has_one_choice(const std::vector<PickerNode>& nodes) {
  return std::count_if(nodes.begin(), nodes.end(),
                       [](const PickerNode& node) { return node.effective > Weight(); }) == 1;
}

}  // namespace

Attempts::Attempts(std::shared_ptr<Picker> picker, std::optional<uint32_t> retries)
    : picker_(std::move(picker)),
      most_(most_tries(picker_->nodes().nodes(), retries)),
      is_lone_(has_one_choice(picker_->nodes().nodes())) {}

std::optional<Pick> Attempts::next(uint64_t hash) {
  if (made_ == most_) return std::nullopt;
  auto pick = picker_->pick(hash, tried_);
  if (!pick) return std::nullopt;
  ++made_;
  if (!is_lone_) tried_.add(pick->node);
  return pick;
}

}  // namespace rampart::engine
