// SPDX-License-Identifier: Apache-2.0
// How many requests each node of a scope has in flight (L4).
//
// A count belongs to an identity and not to a generation of nodes: a node that is re-weighted keeps
// it, one that leaves keeps it as long as requests are out and has it again on return, and a release
// that comes late finds it. So counts are named by generations and by requests, and go when nothing
// names them: Pods come and go for months, their counts must not pile up.
//
// Not locked: least_conn.h holds the lock that covers this and its heaps. A release cannot be
// unmatched, because only a lease (least_conn.h) gives back what taking it took.
#ifndef RAMPART_USERSPACE_ENGINE_IN_FLIGHT_H_
#define RAMPART_USERSPACE_ENGINE_IN_FLIGHT_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/ids.h"

namespace rampart::engine {

class InFlight {
 public:
  // Names one count: small numbers, used again after a count is forgotten.
  using Counter = uint32_t;

  // The counter of this identity, made with a count of 0 if there is none. Names it once more.
  Counter name(const Identity& identity);
  void name_again(Counter counter) { ++counts_[counter].names; }  // REQUIRES: it is named
  // Undoes one naming. A counter without names whose count is 0 is forgotten.
  void unname(Counter counter);

  // One more or one fewer in flight; returns the count after it. REQUIRES: the counter is named, or
  // its count is not 0; for give(): a take() that was not given back.
  uint32_t take(Counter counter);
  uint32_t give(Counter counter);

  // REQUIRES: as for take().
  uint32_t count(Counter counter) const { return counts_[counter].in_flight; }
  // Grows with each take; a counter that was never taken has that of its making. Unique: the order
  // of turns among nodes of equal score (L3).
  uint64_t last_turn(Counter counter) const { return counts_[counter].last_turn; }
  // 0 for an identity that is not known.
  uint32_t count_of(const Identity& identity) const;
  // How many identities are known.
  size_t size() const { return counters_.size(); }

 private:
  struct Count {
    uint32_t in_flight = 0;
    uint32_t names = 0;
    uint64_t last_turn = 0;
    Identity identity;
  };
  void forget_if_unused(Counter counter);

  std::vector<Count> counts_;                       // by counter
  std::vector<Counter> unused_;                     // counters that were forgotten
  uint64_t turns_ = 0;                              // the last one given out
  std::unordered_map<Identity, Counter> counters_;  // for lookups only: never walked
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_IN_FLIGHT_H_
