// SPDX-License-Identifier: Apache-2.0
#include "engine/round_robin.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/check.h"

namespace rampart::engine {
namespace {

// The nearest integer. REQUIRES: denominator > 0.
__int128 rounded_quotient(__int128 numerator, __int128 denominator) {
  const __int128 doubled = 2 * numerator + denominator;
  const __int128 quotient = doubled / (2 * denominator);
  return quotient - (doubled % (2 * denominator) < 0 ? 1 : 0);
}

}  // namespace

RoundRobin::RoundRobin(std::vector<Node> nodes, const RoundRobin& former) {
  RP_CHECK(nodes.size() < size_t{1} << 20);  // keeps every product within 127 bits
  for (Node& node : nodes) {
    RP_CHECK(node.weight.raw() <= std::numeric_limits<uint32_t>::max());
    const uint32_t weight = static_cast<uint32_t>(node.weight.raw());
    RP_CHECK(nodes_.empty() ||
             (nodes_.back().number < node.number && nodes_.back().identity < node.identity));
    total_ += weight;
    nodes_.push_back({.number = node.number,
                      .weight = weight,
                      .progress = 0,
                      .identity = std::move(node.identity)});
  }
  take_over_credits(former);
  for (uint32_t item = 0; item < nodes_.size(); ++item) {
    if (nodes_[item].weight > 0) waiting_.put(start_of(item));
  }
  admit_due();
}

// Share so far minus picks, in kPick.
int64_t RoundRobin::credit_of(const Member& member) const {
  if (member.weight == 0) return -member.progress;
  const Wide scaled = elapsed_ * member.weight - Wide{member.progress} * total_;
  return static_cast<int64_t>(rounded_quotient(scaled, total_));
}

// V starts at 0, where a node's progress is the negative of its credit.
void RoundRobin::take_over_credits(const RoundRobin& former) {
  std::vector<Member*> stayers;
  Wide credits = 0;
  Wide weights = 0;
  auto known = former.nodes_.begin();
  for (Member& member : nodes_) {  // both lists ascend by identity
    while (known != former.nodes_.end() && known->identity < member.identity) ++known;
    if (known == former.nodes_.end() || known->identity != member.identity) continue;
    member.progress = -former.credit_of(*known);
    if (member.weight == 0) continue;
    stayers.push_back(&member);
    credits -= member.progress;
    weights += member.weight;
  }
  // Credits of the nodes that are picked from sum to 0 again.
  for (Member* member : stayers) {
    member->progress += static_cast<int64_t>(rounded_quotient(credits * member->weight, weights));
  }
}

std::optional<NodeNumber> RoundRobin::pick(const Tried& tried) {
  const auto untried = [&](const Turn& turn) { return !tried.has(nodes_[turn.item].number); };
  const Turn* turn = due_.first_that(untried);
  if (turn == nullptr) turn = waiting_.first_that(untried);
  if (turn == nullptr) return std::nullopt;
  const uint32_t item = turn->item;
  pass_time(tried);
  charge(item);
  admit_due();
  if (elapsed_ >= Wide{total_} << kPickBits) renormalise();
  return nodes_[item].number;
}

// One pick's time, for the nodes that were not tried: they share it among themselves.
void RoundRobin::pass_time(const Tried& tried) {
  if (tried.empty()) {
    elapsed_ += kPick;
    return;
  }
  int64_t sharing = total_;
  for (const NodeNumber number : tried.nodes()) {
    if (const Member* member = find(number)) sharing -= member->weight;
  }
  const Wide passed = rounded_quotient(Wide{total_} << kPickBits, sharing);
  elapsed_ += passed;
  for (const NodeNumber number : tried.nodes()) {
    Member* member = find(number);
    if (member != nullptr && member->weight > 0) stand_still(*member, passed);
  }
}

// Keeps a node's credit while time passes.
void RoundRobin::stand_still(Member& member, Wide passed) {
  member.progress += static_cast<int64_t>(rounded_quotient(passed * member.weight, total_));
  const uint32_t item = static_cast<uint32_t>(&member - nodes_.data());
  if (due_.contains(item)) {
    due_.put(end_of(item));
  } else {
    waiting_.put(start_of(item));
  }
}

void RoundRobin::charge(uint32_t item) {
  nodes_[item].progress += kPick;
  const Turn start = start_of(item);
  if (!due_.contains(item)) {
    waiting_.put(start);
  } else if (is_due(start)) {
    due_.put(end_of(item));
  } else if (!waiting_.empty() && is_due(waiting_.first())) {  // as a rule: they change places
    const uint32_t next = waiting_.first().item;
    due_.exchange(item, end_of(next));
    waiting_.exchange(next, start);
  } else {
    due_.remove(item);
    waiting_.put(start);
  }
}

void RoundRobin::admit_due() {
  while (!waiting_.empty() && is_due(waiting_.first())) {
    const uint32_t item = waiting_.first().item;
    waiting_.remove(item);
    due_.put(end_of(item));
  }
}

// One is taken off all times, exactly: V, starts and ends. No order changes.
void RoundRobin::renormalise() {
  elapsed_ -= Wide{total_} << kPickBits;
  for (Member& member : nodes_) member.progress -= int64_t{member.weight} << kPickBits;
  const auto earlier = [](Turn& turn) { turn.at -= int64_t{turn.weight} << kPickBits; };
  due_.change_all(earlier);
  waiting_.change_all(earlier);
}

RoundRobin::Turn RoundRobin::start_of(uint32_t item) const {
  return {.at = nodes_[item].progress, .weight = nodes_[item].weight, .item = item};
}

RoundRobin::Turn RoundRobin::end_of(uint32_t item) const {
  return {.at = nodes_[item].progress + kPick, .weight = nodes_[item].weight, .item = item};
}

RoundRobin::Member* RoundRobin::find(NodeNumber number) {
  const auto found = std::lower_bound(
      nodes_.begin(), nodes_.end(), number,
      [](const Member& member, NodeNumber sought) { return member.number < sought; });
  return found == nodes_.end() || found->number != number ? nullptr : &*found;
}

void RoundRobin::skip(uint64_t seed) {
  if (total_ == 0) return;
  uint64_t unit = 0;
  for (const Member& member : nodes_) unit = std::gcd(unit, member.weight);
  const uint64_t cycle = static_cast<uint64_t>(total_) / unit;
  for (uint64_t picks = seed % std::min(cycle, kMostSkipped); picks > 0; --picks) pick();
}

}  // namespace rampart::engine
