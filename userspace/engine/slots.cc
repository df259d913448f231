// SPDX-License-Identifier: Apache-2.0
#include "engine/slots.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace rampart::engine {
namespace {

// A node's turn-taking through its own permutation of all slots: offset, offset + skip, … modulo
// the prime table size.
struct Walker {
  Owner owner;
  uint32_t left;  // slots it still has to take
  uint32_t next;  // the slot it looks at next
  uint32_t skip;  // 1 … size - 1
};

Walker walker_of(const GoalNode& node, uint32_t size, uint64_t seed) {
  const uint64_t hash = hash64(node.identity, seed);
  return {.owner = node.owner,
          .left = node.slots,
          .next = static_cast<uint32_t>(hash % size),
          .skip = static_cast<uint32_t>(mix64(hash) % (size - 1)) + 1};
}

void take_turn(Walker& walker, SlotTable& table) {
  const uint32_t size = static_cast<uint32_t>(table.size());
  uint32_t slot;
  do {
    slot = walker.next;
    const uint64_t following = uint64_t{slot} + walker.skip;
    walker.next = static_cast<uint32_t>(following < size ? following : following - size);
  } while (table[slot] != kNobody);
  table[slot] = walker.owner;
  --walker.left;
}

// How many slots each owner has too many (above 0) or too few (below 0).
using Balance = std::vector<int64_t>;

Balance balance_of(const SlotTable& table, std::span<const OwnerSlots> counts) {
  Balance balance(size_t{std::numeric_limits<Owner>::max()} + 1, 0);
  uint64_t wanted = 0;
  for (const OwnerSlots& count : counts) {
    RP_CHECK(count.owner != kNobody || count.slots == 0);
    balance[count.owner] -= count.slots;
    wanted += count.slots;
  }
  RP_CHECK(wanted == 0 || wanted == table.size());
  for (const Owner owner : table) ++balance[owner];
  // With nobody to serve, "nobody" takes everything.
  if (wanted == 0) balance[kNobody] -= static_cast<int64_t>(table.size());
  return balance;
}

// Gives a slot to `to` if its owner has too many.
bool hand_over(SlotTable& table, Balance& balance, uint32_t slot, Owner to) {
  Owner& owner = table[slot];
  if (balance[owner] <= 0 || balance[to] >= 0) return false;
  --balance[owner];
  ++balance[to];
  owner = to;
  return true;
}

// All slots of a table, each once, by strides of the golden ratio: wherever the visit is broken off,
// the slots seen so far lie evenly over the table.
class SpreadVisit {
 public:
  explicit SpreadVisit(uint32_t size) : size_(size) {
    constexpr uint64_t kGoldenRatio = 0x9e3779b9;  // in 1/2^32
    stride_ = std::max<uint32_t>(1, static_cast<uint32_t>(size * kGoldenRatio >> 32));
    while (std::gcd(stride_, size) > 1) ++stride_;  // never with a prime size
  }

  bool done() const { return seen_ == size_; }
  uint32_t slot() const { return slot_; }
  void advance() {
    ++seen_;
    slot_ = static_cast<uint32_t>((uint64_t{slot_} + stride_) % size_);
  }

 private:
  uint32_t size_;
  uint32_t stride_ = 1;
  uint32_t slot_ = 0;
  uint32_t seen_ = 0;
};

bool by_slot(const SlotChange& a, const SlotChange& b) {
  return a.slot < b.slot;
}

// The owners that still lack slots, one entry a slot, ascending.
std::vector<Owner> takers(const Balance& balance) {
  std::vector<Owner> owners;
  for (size_t owner = 0; owner < balance.size(); ++owner) {
    if (balance[owner] >= 0) continue;
    owners.insert(owners.end(), static_cast<size_t>(-balance[owner]), static_cast<Owner>(owner));
  }
  return owners;
}

// Slots that are off the goal, by who owns them and who should. A swap takes one slot of each side:
// best of a pair that wants just each other's, which then are both on the goal.
class Misplaced {
 public:
  Misplaced(const SlotTable& table, const SlotTable& goal) : table_(table), goal_(goal) {
    const auto size = static_cast<uint32_t>(table.size());
    for (SpreadVisit at(size); !at.done(); at.advance()) note(at.slot());
  }

  // To be called of a slot that changed its owner.
  void note(uint32_t slot) {
    if (table_[slot] == goal_[slot]) return;
    by_pair_[{table_[slot], goal_[slot]}].push_back(slot);
    by_owner_[table_[slot]].push_back(slot);
  }

  // A slot to swap `slot` with: `slot`'s goal owner has it. REQUIRES: table and goal have equal
  // counts and `slot` is off the goal: then there is one.
  uint32_t partner(uint32_t slot) {
    const auto mutual = by_pair_.find({goal_[slot], table_[slot]});
    if (mutual != by_pair_.end()) {
      if (const auto found = next_of(mutual->second, goal_[slot])) return *found;
    }
    const auto found = next_of(by_owner_.at(goal_[slot]), goal_[slot]);
    RP_CHECK(found);
    return *found;
  }

 private:
  // The last slot of a list that `owner` still has and should not.
  std::optional<uint32_t> next_of(std::vector<uint32_t>& slots, Owner owner) const {
    while (!slots.empty()) {
      const uint32_t slot = slots.back();
      if (table_[slot] == owner && goal_[slot] != owner) return slot;
      slots.pop_back();
    }
    return std::nullopt;
  }

  const SlotTable& table_;
  const SlotTable& goal_;
  std::map<std::pair<Owner, Owner>, std::vector<uint32_t>> by_pair_;
  std::map<Owner, std::vector<uint32_t>> by_owner_;
};

}  // namespace

bool is_table_size(uint32_t size) {
  if (size < 2) return false;
  for (uint32_t divisor = 2; divisor <= size / divisor; ++divisor) {
    if (size % divisor == 0) return false;
  }
  return true;
}

SlotTable goal_table(std::vector<GoalNode> nodes, uint32_t table_size, uint64_t seed) {
  SlotTable table(table_size, kNobody);
  std::sort(nodes.begin(), nodes.end(),
            [](const GoalNode& a, const GoalNode& b) { return a.identity < b.identity; });
  std::vector<Walker> walkers;
  uint64_t wanted = 0;
  for (const GoalNode& node : nodes) {
    wanted += node.slots;
    if (node.slots > 0) walkers.push_back(walker_of(node, table_size, seed));
  }
  RP_CHECK(wanted == 0 || wanted == table_size);
  while (!walkers.empty()) {
    for (Walker& walker : walkers) take_turn(walker, table);
    std::erase_if(walkers, [](const Walker& walker) { return walker.left == 0; });
  }
  return table;
}

const SlotTable& GoalTable::follow(std::vector<GoalNode> nodes, uint32_t table_size,
                                   uint64_t seed) {
  if (table_.size() == table_size && seed_ == seed && nodes_ == nodes) return table_;
  table_ = goal_table(nodes, table_size, seed);
  nodes_ = std::move(nodes);
  seed_ = seed;
  return table_;
}

std::vector<SlotChange> retarget(SlotTable& table, const SlotTable& goal,
                                 std::span<const OwnerSlots> counts) {
  RP_CHECK(goal.size() == table.size());
  Balance balance = balance_of(table, counts);
  const SpreadVisit from_the_start(static_cast<uint32_t>(table.size()));
  std::vector<SlotChange> changes;
  const auto move = [&](uint32_t slot, Owner to) {
    if (!hand_over(table, balance, slot, to)) return false;
    changes.push_back({slot, to});
    return true;
  };

  // Towards the goal first.
  for (SpreadVisit at = from_the_start; !at.done(); at.advance()) move(at.slot(), goal[at.slot()]);
  // Then whatever is left, from slots that are off the goal before those that are on it.
  const std::vector<Owner> lacking = takers(balance);
  auto taker = lacking.begin();
  for (const bool spare_the_goal : {true, false}) {
    for (SpreadVisit at = from_the_start; !at.done() && taker != lacking.end(); at.advance()) {
      if (spare_the_goal && table[at.slot()] == goal[at.slot()]) continue;
      if (move(at.slot(), *taker)) ++taker;
    }
  }
  std::sort(changes.begin(), changes.end(), by_slot);
  return changes;
}

std::vector<SlotChange> refill(SlotTable& table, const SlotTable& goal, uint32_t most) {
  RP_CHECK(goal.size() == table.size());
  Misplaced misplaced(table, goal);
  std::vector<SlotChange>
      before;  // of slots that were swapped: the former owner, once for each swap
  for (SpreadVisit at(static_cast<uint32_t>(table.size())); !at.done(); at.advance()) {
    if (before.size() + 2 > most) break;
    const uint32_t slot = at.slot();
    if (table[slot] == goal[slot]) continue;
    const uint32_t other = misplaced.partner(slot);
    before.insert(before.end(), {{slot, table[slot]}, {other, table[other]}});
    std::swap(table[slot], table[other]);
    misplaced.note(other);
  }
  // A slot that was swapped twice had its first owner before, and may have it again.
  std::stable_sort(before.begin(), before.end(), by_slot);
  const auto is_same = [](const SlotChange& a, const SlotChange& b) { return a.slot == b.slot; };
  before.erase(std::unique(before.begin(), before.end(), is_same), before.end());
  std::vector<SlotChange> changes;
  for (const SlotChange& was : before) {
    if (table[was.slot] != was.owner) changes.push_back({was.slot, table[was.slot]});
  }
  return changes;
}

}  // namespace rampart::engine
