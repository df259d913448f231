// SPDX-License-Identifier: Apache-2.0
#include "engine/picker.h"

#include <algorithm>
#include <utility>

namespace rampart::engine {

Result<std::shared_ptr<const PickerNodes>> PickerNodes::make(const PickerSettings& settings,
                                                             std::vector<PickerNode> nodes,
                                                             const PickerNodes* former) {
  std::shared_ptr<PickerNodes> made(new PickerNodes());
  made->algorithm_ = settings.algorithm;
  made->nodes_ = std::move(nodes);
  std::sort(made->nodes_.begin(), made->nodes_.end(),
            [](const PickerNode& a, const PickerNode& b) { return a.identity < b.identity; });
  for (PickerNode& node : made->nodes_) {
    if (node.addresses.empty()) node.effective = node.ramped = Weight();
  }
  if (settings.algorithm == Algorithm::kChash) {
    auto chash =
        Chash::build(made->nodes_, settings.chash,
                     former == nullptr ? nullptr : former->chash_.get(), settings.refill_slots);
    if (!chash) return chash.error();
    made->chash_ = std::move(*chash);
  }
  made->counts_ = former != nullptr ? former->counts_ : LeastConn::create(settings.instance_seed);
  if (settings.algorithm == Algorithm::kLeastConn) {
    made->members_ = made->counts_->set_nodes(made->nodes_);
  }
  return std::shared_ptr<const PickerNodes>(std::move(made));
}

Picker::Picker(std::shared_ptr<const PickerNodes> nodes, uint64_t worker_seed)
    : nodes_(std::move(nodes)), worker_seed_(worker_seed) {
  start_rotations();
  order_tiers(nullptr);
}

Picker::Picker(std::shared_ptr<const PickerNodes> nodes, const Picker& former)
    : nodes_(std::move(nodes)), worker_seed_(former.worker_seed_) {
  start_rotations();
  take_over_rotations(former);
  order_tiers(&former);
}

void Picker::start_rotations() {
  for (const PickerNode& node : nodes_->nodes()) {
    const uint32_t count = static_cast<uint32_t>(node.addresses.size());
    rotations_.push_back(
        {.next = count == 0 ? 0 : static_cast<uint32_t>(worker_seed_ % count), .count = count});
  }
}

// Both lists ascend by identity.
void Picker::take_over_rotations(const Picker& former) {
  const std::vector<PickerNode>& known = former.nodes_->nodes();
  size_t before = 0;
  for (size_t now = 0; now < rotations_.size(); ++now) {
    const Identity& identity = nodes_->nodes()[now].identity;
    while (before < known.size() && known[before].identity < identity) ++before;
    if (before == known.size()) break;
    Rotation& rotation = rotations_[now];
    if (known[before].identity == identity && rotation.count > 0) {
      rotation.next = former.rotations_[before].next % rotation.count;
    }
  }
}

// A tier goes on from the former one of its priority; only one that is new starts by the seed.
void Picker::order_tiers(const Picker* former) {
  if (nodes_->algorithm() != Algorithm::kRoundRobin) return;
  for (const auto& [priority, numbers] : tiers_of(nodes_->nodes())) {
    std::vector<RoundRobin::Node> nodes;
    for (const NodeNumber number : numbers) {
      const PickerNode& node = nodes_->nodes()[number];
      nodes.push_back({.number = number, .identity = node.identity, .weight = node.effective});
    }
    RoundRobin& tier = round_robin_[priority];
    if (former != nullptr && former->round_robin_.contains(priority)) {
      tier = RoundRobin(std::move(nodes), former->round_robin_.at(priority));
    } else {
      tier = RoundRobin(std::move(nodes));
      tier.skip(worker_seed_);
    }
  }
}

std::optional<Pick> Picker::pick(uint64_t hash, const Tried& tried) {
  switch (nodes_->algorithm()) {
    case Algorithm::kRoundRobin: {
      const auto node =
          first_answer(round_robin_, [&](RoundRobin& tier) { return tier.pick(tried); });
      if (!node) return std::nullopt;
      return Pick{.node = *node, .address = next_address(*node), .lease = {}};
    }
    case Algorithm::kLeastConn: {
      auto least = nodes_->counts_->pick(*nodes_->members_, tried);
      if (!least) return std::nullopt;
      return Pick{.node = least->node,
                  .address = next_address(least->node),
                  .lease = std::move(least->lease)};
    }
    case Algorithm::kChash: {
      const auto place = nodes_->chash_->pick(hash, tried);
      if (!place) return std::nullopt;
      return Pick{.node = place->node, .address = place->address, .lease = {}};
    }
  }
  return std::nullopt;
}

uint32_t Picker::next_address(NodeNumber node) {
  Rotation& rotation = rotations_[node];
  const uint32_t address = rotation.next;
  rotation.next = address + 1 < rotation.count ? address + 1 : 0;
  return address;
}

}  // namespace rampart::engine
