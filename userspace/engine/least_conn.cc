// SPDX-License-Identifier: Apache-2.0
#include "engine/least_conn.h"

#include <limits>
#include <utility>

#include "base/check.h"

namespace rampart::engine {

void Lease::give_back() {
  std::exchange(scope_, nullptr)->give(counter_);
}

LeastConn::Members::~Members() {
  scope_->unname_all(*this);
}

std::shared_ptr<LeastConn> LeastConn::create(uint64_t seed) {
  return std::shared_ptr<LeastConn>(new LeastConn(seed));
}

std::shared_ptr<const LeastConn::Members> LeastConn::set_nodes(std::span<const PickerNode> nodes) {
  const auto tiers = tiers_of(nodes);
  std::shared_ptr<Members> members(new Members());
  members->scope_ = shared_from_this();

  const std::lock_guard lock(mutex_);
  members->generation_ = ++generation_;
  const std::vector<InFlight::Counter> counters = name_all(nodes);
  for (const auto& [priority, numbers] : tiers) {
    for (const NodeNumber number : numbers) {
      const uint64_t weight = nodes[number].effective.raw();
      RP_CHECK(weight <= std::numeric_limits<uint32_t>::max());
      members->tiers_[priority].push_back(
          {counters[number], static_cast<uint32_t>(weight), number});
    }
  }
  make_current(*members);
  return members;
}

// New nodes queue up from a place that differs between instances (L3).
std::vector<InFlight::Counter> LeastConn::name_all(std::span<const PickerNode> nodes) {
  std::vector<InFlight::Counter> counters(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const size_t number = (i + seed_ % nodes.size()) % nodes.size();
    counters[number] = counts_.name(nodes[number].identity);
  }
  return counters;
}

void LeastConn::make_current(const Members& members) {
  heaps_.clear();
  heap_of_.assign(heap_of_.size(), nullptr);
  std::vector<InFlight::Counter> former = std::exchange(named_here_, {});
  for (const auto& [priority, tier] : members.tiers_) {
    Heap& heap = heaps_[priority];
    for (const Members::Member& member : tier) {
      if (member.weight == 0) continue;
      counts_.name_again(member.counter);
      named_here_.push_back(member.counter);
      if (member.counter >= heap_of_.size()) heap_of_.resize(member.counter + 1, nullptr);
      heap_of_[member.counter] = &heap;
      heap.put(load_of(member));
    }
  }
  for (const InFlight::Counter counter : former) counts_.unname(counter);
}

LeastConn::Load LeastConn::load_of(const Members::Member& member) const {
  return {.in_flight = counts_.count(member.counter),
          .weight = member.weight,
          .last_turn = counts_.last_turn(member.counter),
          .item = member.counter,
          .number = member.number};
}

std::optional<LeastConn::Pick> LeastConn::pick(const Members& members, const Tried& tried) {
  RP_CHECK(members.scope_.get() == this);
  std::unique_lock lock(mutex_);
  const std::optional<Load> least =
      members.generation_ == generation_ ? least_of_current(tried) : least_of(members, tried);
  if (!least) return std::nullopt;
  book(least->item, counts_.take(least->item));
  lock.unlock();
  return Pick{.node = least->number, .lease = Lease(members.scope_, least->item)};
}

std::optional<LeastConn::Load> LeastConn::least_of_current(const Tried& tried) const {
  const Load* least = first_answer(heaps_, [&](const Heap& heap) {
    return heap.first_that([&](const Load& load) { return !tried.has(load.number); });
  });
  return least == nullptr ? std::nullopt : std::optional(*least);
}

std::optional<LeastConn::Load> LeastConn::least_of(const Members& members,
                                                   const Tried& tried) const {
  return first_answer(members.tiers_, [&](const std::vector<Members::Member>& tier) {
    std::optional<Load> least;
    for (const Members::Member& member : tier) {
      if (member.weight == 0 || tried.has(member.number)) continue;
      const Load load = load_of(member);
      if (!least || precedes(load, *least)) least = load;
    }
    return least;
  });
}

// A count has changed: the current generation's heap follows, if the node is one of its own. What
// was taken was of a generation that was current once, so the counter has a place in heap_of_.
void LeastConn::book(InFlight::Counter counter, uint32_t in_flight) {
  Heap* heap = heap_of_[counter];
  if (heap == nullptr) return;
  Load load = heap->entry_of(counter);
  load.in_flight = in_flight;
  load.last_turn = counts_.last_turn(counter);
  heap->put(load);
}

void LeastConn::give(InFlight::Counter counter) {
  const std::lock_guard lock(mutex_);
  book(counter, counts_.give(counter));
}

void LeastConn::unname_all(const Members& members) {
  const std::lock_guard lock(mutex_);
  for (const auto& [priority, tier] : members.tiers_) {
    for (const Members::Member& member : tier) counts_.unname(member.counter);
  }
}

uint32_t LeastConn::in_flight(const Identity& identity) const {
  const std::lock_guard lock(mutex_);
  return counts_.count_of(identity);
}

size_t LeastConn::known_nodes() const {
  const std::lock_guard lock(mutex_);
  return counts_.size();
}

}  // namespace rampart::engine
