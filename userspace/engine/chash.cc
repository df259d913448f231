// SPDX-License-Identifier: Apache-2.0
#include "engine/chash.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/apportion.h"

namespace rampart::engine {
namespace {

// Indices of the addresses, ascending by address, each address once.
std::vector<uint32_t> distinct(const std::vector<std::string>& addresses) {
  std::vector<uint32_t> order(addresses.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return addresses[a] < addresses[b]; });
  order.erase(std::unique(order.begin(), order.end(),
                          [&](uint32_t a, uint32_t b) { return addresses[a] == addresses[b]; }),
              order.end());
  return order;
}

}  // namespace

Result<std::shared_ptr<const Chash>> Chash::build(std::span<const PickerNode> nodes,
                                                  const Settings& settings, const Chash* former,
                                                  uint32_t refill_slots) {
  if (!is_table_size(settings.table_size)) {
    return Error{.code = Code::kInvalidConfig,
                 .text = "a table of " + std::to_string(settings.table_size) +
                         " slots: the number must be prime"};
  }
  if (former != nullptr && former->settings_ != settings) former = nullptr;
  const auto chash = std::make_shared<Chash>();
  chash->settings_ = settings;
  for (const auto& [priority, numbers] : tiers_of(nodes)) {
    std::vector<Share> shares = shares_of(nodes, numbers);
    if (shares.size() > std::min<size_t>(settings.table_size, std::numeric_limits<Owner>::max())) {
      return Error{.code = Code::kInvalidConfig,
                   .text = std::to_string(shares.size()) + " addresses do not fit " +
                           std::to_string(settings.table_size) + " slots"};
    }
    const Tier* former_tier = nullptr;
    if (former != nullptr && former->tiers_.contains(priority)) {
      former_tier = &former->tiers_.at(priority);
    }
    Tier tier = build_tier(std::move(shares), settings, former_tier);
    if (!ramps(tier)) {
      const auto refilled = refill(tier.table, tier.goal.table(), refill_slots);
      refill_slots -= static_cast<uint32_t>(refilled.size());
    }
    chash->tiers_[priority] = std::move(tier);
  }
  return std::shared_ptr<const Chash>(chash);
}

std::vector<Chash::Share> Chash::shares_of(std::span<const PickerNode> nodes,
                                           std::span<const NodeNumber> numbers) {
  std::vector<Share> shares;
  for (const NodeNumber number : numbers) {
    const PickerNode& node = nodes[number];
    if (node.ramped == Weight()) continue;
    const std::vector<uint32_t> addresses = distinct(node.addresses);
    for (const uint32_t address : addresses) {
      std::string key = node.identity;
      if (addresses.size() > 1) key += '\n' + node.addresses[address];
      shares.push_back({.key = std::move(key),
                        .place = {.node = number, .address = address},
                        .usable = node.effective > Weight(),
                        .weight = node.ramped.part(addresses.size()),
                        .target = Weight::whole(node.target).part(addresses.size())});
    }
  }
  std::sort(shares.begin(), shares.end(),
            [](const Share& a, const Share& b) { return a.key < b.key; });
  return shares;
}

// A share keeps the owner number that it had; others get numbers that the former table does not
// name. Whether there were enough of those.
bool Chash::give_owners(std::vector<Share>& shares, const Tier* former) {
  std::vector<bool> named(size_t{std::numeric_limits<Owner>::max()} + 1, false);
  named[kNobody] = true;
  if (former != nullptr) {
    auto known = former->shares.begin();
    for (Share& share : shares) {  // both ascend by key
      while (known != former->shares.end() && known->key < share.key) ++known;
      if (known != former->shares.end() && known->key == share.key) share.owner = known->owner;
    }
    for (const Share& share : former->shares) named[share.owner] = true;
  }
  size_t next = 0;
  for (Share& share : shares) {
    if (share.owner != kNobody) continue;
    while (next < named.size() && named[next]) ++next;
    if (next == named.size()) return false;
    share.owner = static_cast<Owner>(next++);
  }
  return true;
}

Chash::Tier Chash::build_tier(std::vector<Share> shares, const Settings& settings,
                              const Tier* former) {
  Tier tier;
  tier.shares = std::move(shares);
  if (!give_owners(tier.shares, former)) {
    for (Share& share : tier.shares) share.owner = kNobody;
    return build_tier(std::move(tier.shares), settings, nullptr);
  }
  index(tier);
  fill(tier, settings, former);
  return tier;
}

void Chash::index(Tier& tier) {
  for (uint32_t i = 0; i < tier.shares.size(); ++i) {
    const Share& share = tier.shares[i];
    if (share.owner >= tier.share_of.size()) tier.share_of.resize(size_t{share.owner} + 1);
    tier.share_of[share.owner] = i;
    if (share.usable) tier.usable_nodes.push_back(share.place.node);
  }
  std::sort(tier.usable_nodes.begin(), tier.usable_nodes.end());
  tier.usable_nodes.erase(std::unique(tier.usable_nodes.begin(), tier.usable_nodes.end()),
                          tier.usable_nodes.end());
}

bool Chash::ramps(const Tier& tier) {
  return std::any_of(tier.shares.begin(), tier.shares.end(), [](const Share& share) {
    return share.usable && share.weight != share.target;
  });
}

bool Chash::off_goal() const {
  return std::any_of(tiers_.begin(), tiers_.end(), [](const auto& entry) {
    return !ramps(entry.second) && entry.second.table != entry.second.goal.table();
  });
}

// W5 to W7: exact counts, by the fewest moves from the former table, towards the goal.
void Chash::fill(Tier& tier, const Settings& settings, const Tier* former) {
  std::vector<Weight> weights;
  std::vector<Weight> targets;
  for (const Share& share : tier.shares) {
    weights.push_back(share.weight);
    targets.push_back(share.target);
  }
  const std::vector<uint32_t> slots = apportion(weights, settings.table_size);
  const std::vector<uint32_t> goal_slots = apportion(targets, settings.table_size);
  std::vector<OwnerSlots> counts;
  std::vector<GoalNode> goal_nodes;
  for (size_t i = 0; i < tier.shares.size(); ++i) {
    counts.push_back({tier.shares[i].owner, slots[i]});
    goal_nodes.push_back({tier.shares[i].owner, tier.shares[i].key, goal_slots[i]});
  }
  if (former != nullptr) tier.goal = former->goal;
  const SlotTable& goal =
      tier.goal.follow(std::move(goal_nodes), settings.table_size, settings.seed);
  tier.table = former != nullptr ? former->table : goal;
  retarget(tier.table, goal, counts);
}

std::optional<Chash::Place> Chash::pick(uint64_t hash, const Tried& tried) const {
  return first_answer(tiers_, [&](const Tier& tier) { return walk(tier, hash, tried); });
}

std::optional<Chash::Place> Chash::walk(const Tier& tier, uint64_t hash, const Tried& tried) {
  size_t left = tier.usable_nodes.size();
  for (const NodeNumber node : tried.nodes()) {
    left -= std::binary_search(tier.usable_nodes.begin(), tier.usable_nodes.end(), node) ? 1 : 0;
  }
  if (left == 0) return std::nullopt;
  size_t slot = hash % tier.table.size();
  while (true) {  // ends: each share has a slot (W4), and one is usable
    const Share& share = tier.shares[tier.share_of[tier.table[slot]]];
    if (share.usable && !tried.has(share.place.node)) return share.place;
    slot = slot + 1 < tier.table.size() ? slot + 1 : 0;
  }
}

}  // namespace rampart::engine
