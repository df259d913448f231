// SPDX-License-Identifier: Apache-2.0
// A binary heap that knows where each of its items lies, so that an item which is not the first can
// be changed or taken out in O(log n) too.
//
// An entry carries the number of its item (a small integer that indexes a vector) beside its key,
// in one array: a step down the heap touches one or two cache lines and follows no pointer.
#ifndef RAMPART_USERSPACE_ENGINE_INDEXED_HEAP_H_
#define RAMPART_USERSPACE_ENGINE_INDEXED_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/check.h"

namespace rampart::engine {

// Entry has a member `uint32_t item`, and `bool precedes(const Entry&, const Entry&)` orders entries
// of different items strictly and totally.
template <typename Entry>
class IndexedHeap {
 public:
  bool empty() const { return entries_.empty(); }
  bool contains(uint32_t item) const { return item < places_.size() && places_[item] != kNowhere; }

  // REQUIRES: not empty.
  const Entry& first() const { return entries_.front(); }
  // REQUIRES: contains(item).
  const Entry& entry_of(uint32_t item) const { return entries_[places_[item]]; }

  // The first of the entries that `fits` accepts, or nothing. Looks at the entries that it rejects
  // and at their children only: O(k) for k rejected ones, and nothing is moved.
  template <typename Fits>
  const Entry* first_that(const Fits& fits) const {
    if (!empty() && fits(first())) return &first();  // as a rule
    return first_below(0, fits);
  }

  // Adds the entry, or puts it in the place of the one that its item has.
  void put(const Entry& entry) {
    if (entry.item >= places_.size()) places_.resize(size_t{entry.item} + 1, kNowhere);
    size_t place = places_[entry.item];
    if (place == kNowhere) {
      place = entries_.size();
      entries_.push_back(entry);
    }
    settle(place, entry);
  }

  // The entry takes the place of another item's: one step of work instead of two. REQUIRES:
  // contains(leaver), and not the entry's item.
  void exchange(uint32_t leaver, const Entry& entry) {
    if (entry.item >= places_.size()) places_.resize(size_t{entry.item} + 1, kNowhere);
    const size_t place = places_[leaver];
    places_[leaver] = kNowhere;
    settle(place, entry);
  }

  // REQUIRES: contains(item).
  void remove(uint32_t item) {
    RP_CHECK(contains(item));
    const size_t place = places_[item];
    const Entry last = entries_.back();
    entries_.pop_back();
    places_[item] = kNowhere;
    if (last.item != item) settle(place, last);
  }

  // Changes all keys. REQUIRES: `change` keeps the order of all entries, and their items.
  template <typename Change>
  void change_all(const Change& change) {
    for (Entry& entry : entries_) change(entry);
  }

 private:
  static constexpr uint32_t kNowhere = std::numeric_limits<uint32_t>::max();

  // Puts the entry where it belongs: above or below `place`, which is free. The arrays' addresses
  // are locals, for the compiler cannot know that writing an entry moves neither.
  void settle(size_t place, const Entry entry) {
    Entry* const entries = entries_.data();
    uint32_t* const places = places_.data();
    const auto set = [&](size_t to, const Entry& moved) {
      entries[to] = moved;
      places[moved.item] = static_cast<uint32_t>(to);
    };
    const size_t start = place;
    while (place > 0) {
      const size_t parent = (place - 1) / 2;
      if (!precedes(entry, entries[parent])) break;
      set(place, entries[parent]);
      place = parent;
    }
    const size_t size = place == start ? entries_.size() : 0;  // what rose does not sink
    for (size_t child = 2 * place + 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size) child += precedes(entries[child + 1], entries[child]) ? 1 : 0;
      if (!precedes(entries[child], entry)) break;
      set(place, entries[child]);
      place = child;
    }
    set(place, entry);
  }

  template <typename Fits>
  const Entry* first_below(size_t place, const Fits& fits) const {
    if (place >= entries_.size()) return nullptr;
    if (fits(entries_[place])) return &entries_[place];
    const Entry* left = first_below(2 * place + 1, fits);
    const Entry* right = first_below(2 * place + 2, fits);
    if (left == nullptr || right == nullptr) return left != nullptr ? left : right;
    return precedes(*left, *right) ? left : right;
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> places_;  // by item: its index in entries_, or kNowhere
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_INDEXED_HEAP_H_
