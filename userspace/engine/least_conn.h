// SPDX-License-Identifier: Apache-2.0
// least_conn: the node with the fewest requests in flight for its weight (L).
//
// Problem. Every balancer that rebuilds its picker when nodes or weights change has lost counts that
// way: the new picker starts at 0 while requests are out, or a late release is booked on a picker
// that nobody reads (APISIX issue 12217). With a ramp there is a rebuild every second.
//
// Choice. One LeastConn per scope outlives all generations and is shared by all workers. It holds
// the counts, by identity, and for the *current* generation one heap per priority, by score. A
// generation is a *Members* value: which nodes it has, with its weights. A pick names its Members
// (P5), and is never answered with a node that they do not contain (L8):
//   - with those of the current generation, it takes the heap's first: O(log n);
//   - with older ones (a retry after a reload, a worker that is a moment behind) it goes through
//     them, with their own weights and today's counts: O(n), some nanoseconds a node.
// Either way it is one and the same count that grows, and the heap is put right; so is a release,
// wherever its pick came from (L5).
//
// Score = (in flight + 1) / effective weight, compared exactly by cross-multiplication: a count is at
// most 2^32 - 2, a weight below 2^32, so that a product fits 64 bits. Equal scores go to the node
// whose last turn is longest ago, which rotates them (L3); a start seed turns the order in which
// nodes that have had none yet come.
//
// One mutex, held for a heap step. set_nodes() holds it for a rebuild, about 0.05 µs a node, once per
// refresh of weights.
#ifndef RAMPART_USERSPACE_ENGINE_LEAST_CONN_H_
#define RAMPART_USERSPACE_ENGINE_LEAST_CONN_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "engine/in_flight.h"
#include "engine/indexed_heap.h"
#include "engine/picker_node.h"
#include "engine/priorities.h"

namespace rampart::engine {

class LeastConn;

// One counted request. Given back exactly once (L7): by release(), or else at its end; from any
// thread, and also when the generation it came from, and every other user of the scope, is gone.
class Lease {
 public:
  Lease() = default;  // holds nothing
  Lease(Lease&&) = default;
  Lease& operator=(Lease&& other) {
    if (this != &other) {
      release();
      scope_ = std::move(other.scope_);
      counter_ = other.counter_;
    }
    return *this;
  }
  ~Lease() { release(); }

  // No effect if nothing is held (any more).
  void release() {
    if (held()) give_back();
  }
  bool held() const { return scope_ != nullptr; }

 private:
  friend class LeastConn;
  Lease(std::shared_ptr<LeastConn> scope, InFlight::Counter counter)
      : scope_(std::move(scope)), counter_(counter) {}
  void give_back();

  std::shared_ptr<LeastConn> scope_;
  InFlight::Counter counter_ = 0;
};

// All functions may be called from any thread.
class LeastConn : public std::enable_shared_from_this<LeastConn> {
 public:
  // The nodes of one generation, in the numbers of the list that they were made from. Immutable. As
  // long as someone holds it, its nodes' counts are known.
  class Members {
   public:
    ~Members();
    Members(const Members&) = delete;
    Members& operator=(const Members&) = delete;

   private:
    friend class LeastConn;
    struct Member {
      InFlight::Counter counter;
      uint32_t weight;  // raw
      NodeNumber number;
    };
    Members() = default;

    std::shared_ptr<LeastConn> scope_;
    uint64_t generation_ = 0;
    ByPriority<std::vector<Member>> tiers_;
  };

  struct Pick {
    NodeNumber node;
    Lease lease;
  };

  static std::shared_ptr<LeastConn> create(uint64_t seed);

  // The next generation, which becomes the current one. Nodes that are known keep their counts.
  // REQUIRES: identities are unique; weights are at most 65535 (C5).
  std::shared_ptr<const Members> set_nodes(std::span<const PickerNode> nodes);

  // The node of least score among `members` with a weight that were not tried, from the highest
  // priority that has one; nothing if there is none (P4). The lone node of an upstream is counted
  // too (L6). REQUIRES: `members` came from this object's set_nodes().
  std::optional<Pick> pick(const Members& members, const Tried& tried = {});

  // What status and metrics show.
  uint32_t in_flight(const Identity& identity) const;
  // How many identities are remembered: the members of living generations and those with requests.
  size_t known_nodes() const;

 private:
  friend class Lease;

  struct Load {
    uint32_t in_flight;
    uint32_t weight;  // raw, above 0
    uint64_t last_turn;
    InFlight::Counter item;
    NodeNumber number;

    // By score, equal scores by turn.
    friend bool precedes(const Load& a, const Load& b) {
      const uint64_t left = (uint64_t{a.in_flight} + 1) * b.weight;
      const uint64_t right = (uint64_t{b.in_flight} + 1) * a.weight;
      return (left < right) | ((left == right) & (a.last_turn < b.last_turn));
    }
  };
  using Heap = IndexedHeap<Load>;

  explicit LeastConn(uint64_t seed) : seed_(seed) {}

  // All with mutex_ held.
  std::vector<InFlight::Counter> name_all(std::span<const PickerNode> nodes);
  void make_current(const Members& members);
  Load load_of(const Members::Member& member) const;
  std::optional<Load> least_of_current(const Tried& tried) const;
  std::optional<Load> least_of(const Members& members, const Tried& tried) const;
  void book(InFlight::Counter counter, uint32_t in_flight);

  void give(InFlight::Counter counter);
  void unname_all(const Members& members);

  const uint64_t seed_;
  mutable std::mutex mutex_;  // guards all below
  InFlight counts_;
  uint64_t generation_ = 0;
  ByPriority<Heap> heaps_;      // of the current generation: the members with a weight, by counter
  std::vector<Heap*> heap_of_;  // by counter: its heap in heaps_, or null
  std::vector<InFlight::Counter> named_here_;  // the current generation's, so that heaps_ may lie
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_LEAST_CONN_H_
