// SPDX-License-Identifier: Apache-2.0
// Smooth weighted round robin (P1).
//
// Problem. Nodes of weights w_i, with sum W, are to be picked so that each has its share at any
// time and no heavy node comes in bursts, while weights change every second of a ramp. nginx's
// smooth round robin and plain earliest-deadline-first keep the shares over a cycle but let a heavy
// node run for too long; and a schedule that restarts with each change never reaches the light
// nodes, whose turn comes late in the cycle (Envoy issue 29259: new hosts at 1 % got nothing while
// weights were refreshed).
//
// Choice. WF²Q (Bennett and Zhang, INFOCOM 1996), the packet scheduler closest to the ideal fluid
// one. Virtual time V grows by 1/W with each pick. A node with k picks is *due* while k/w <= V,
// that is, while it has had no more than its share; among the due nodes the one whose next turn
// ends first, at (k+1)/w, is picked. Two heaps: waiting nodes by the time at which they are due, due
// ones by the end of their turn.
//
// Why each node stays within one of its share: k/w <= V at a pick means that it has at most its
// share, so it is less than one ahead afterwards. Turns of length one whose earliest starts are
// kW/w and whose deadlines are (k+1)W/w, both rounded up to whole picks, never ask for more picks
// than there are in any interval; then earliest-deadline-first meets every deadline, and no node
// falls one behind.
//
// State. A node's *credit* is its share so far minus its picks. Credits sum to 0 and lie within
// (-1, 1). They are all that matters: a new generation takes them over by identity, a newcomer gets
// 0 (it is due), and what leavers take along is spread over those that stay, by weight, which is
// the same as setting V.
//
// Numbers. Weights are integers (1/65536), so with W as the common denominator all comparisons are
// products of integers in 128 bits: nothing drifts, however long a worker runs. After W picks every
// node has had exactly w_i more, and both are subtracted: the numbers stay small. Only a change of
// weights rounds, to 2^-28 of a pick. A pick costs O(log n): 88 ns with 100 nodes
// (docs/decisions/0006).
#ifndef RAMPART_USERSPACE_ENGINE_ROUND_ROBIN_H_
#define RAMPART_USERSPACE_ENGINE_ROUND_ROBIN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/weight.h"
#include "engine/indexed_heap.h"
#include "engine/picker_node.h"

namespace rampart::engine {

// The order of picks of one worker in one generation of one scope (and priority). Not shared: a
// pick takes no lock.
class RoundRobin {
 public:
  struct Node {
    NodeNumber number;  // what pick() answers
    Identity identity;
    Weight weight;  // 0: never picked, but its credit is kept
  };

  // Nobody.
  RoundRobin() = default;
  // REQUIRES: `nodes` ascend by number and by identity; weights are at most 65535 (C5); fewer than
  // 2^20 nodes.
  explicit RoundRobin(std::vector<Node> nodes) : RoundRobin(std::move(nodes), RoundRobin()) {}
  // The next generation: nodes that `former` knows keep their credit, others are due. Requests that
  // hold on to `former` go on to pick from it (P5), which this one does not see.
  RoundRobin(std::vector<Node> nodes, const RoundRobin& former);

  // The next node that was not tried, or nothing if all nodes with a weight were. With tries the
  // pick counts as one among the other nodes: those tried neither gain nor lose by it, so a node
  // that fails for an hour is not owed an hour's picks.
  std::optional<NodeNumber> pick(const Tried& tried = {});

  // Starts somewhere else: drops picks, a number that follows from `seed`, fewer than a cycle and
  // than kMostSkipped. Workers with different seeds do not send their first requests to one node.
  void skip(uint64_t seed);
  static constexpr uint64_t kMostSkipped = 4096;

 private:
  using Wide = __int128;
  static constexpr int kPickBits = 28;
  static constexpr int64_t kPick = int64_t{1} << kPickBits;  // one pick, in units of progress

  // A point of virtual time, `at` / `weight`: when a node becomes due or when its turn ends.
  struct Turn {
    int64_t at;
    uint32_t weight;
    uint32_t item;  // index into nodes_

    // By time, then by number: a fresh start goes through equal nodes in order.
    friend bool precedes(const Turn& a, const Turn& b) {
      const __int128 left = __int128{a.at} * int64_t{b.weight};
      const __int128 right = __int128{b.at} * int64_t{a.weight};
      return left < right + (a.item < b.item ? 1 : 0);  // one comparison: the times are integers
    }
  };

  // Invariants: a node with a weight is in exactly one of the two heaps, one without in none; due_
  // has each with progress/weight <= elapsed_/total_ (but for rounding, when nodes were tried).
  struct Member {
    NodeNumber number;
    uint32_t weight;   // raw
    int64_t progress;  // picks had since V = 0, in kPick; with weight 0 the negative of its credit
    Identity identity;
  };

  int64_t credit_of(const Member& member) const;
  void take_over_credits(const RoundRobin& former);
  void pass_time(const Tried& tried);
  void stand_still(Member& member, Wide passed);
  void charge(uint32_t item);
  void admit_due();
  void renormalise();
  bool is_due(const Turn& turn) const { return Wide{turn.at} * total_ <= elapsed_ * turn.weight; }
  Turn start_of(uint32_t item) const;
  Turn end_of(uint32_t item) const;
  Member* find(NodeNumber number);

  std::vector<Member> nodes_;
  IndexedHeap<Turn> due_;      // by the end of the turn
  IndexedHeap<Turn> waiting_;  // by its start
  int64_t total_ = 0;          // W
  Wide elapsed_ = 0;           // V is elapsed_ / total_
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_ROUND_ROBIN_H_
