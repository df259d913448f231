// SPDX-License-Identifier: Apache-2.0
// The front of the three ways to pick a node at L7.
//
//   control thread                          worker
//   PickerNodes::make ── per generation ──► Picker ── kept by each request ──► pick, pick again
//
// *PickerNodes* is one generation of one scope: its nodes, and what all workers share of it (the
// least_conn counts, the chash tables). A *Picker* is one worker's own: the round robin's progress
// and the rotation of addresses, both taken over from the worker's former Picker by identity, so that
// a generation per second starves nobody. A request keeps its Picker for its retries (P5): node
// numbers, and so its Tried, mean that generation.
//
// A node without addresses (a name that does not resolve, D1) is never picked.
#ifndef RAMPART_USERSPACE_ENGINE_PICKER_H_
#define RAMPART_USERSPACE_ENGINE_PICKER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/chash.h"
#include "engine/least_conn.h"
#include "engine/picker_node.h"
#include "engine/priorities.h"
#include "engine/round_robin.h"

namespace rampart::engine {

enum class Algorithm { kRoundRobin, kLeastConn, kChash };

struct PickerSettings {
  Algorithm algorithm = Algorithm::kRoundRobin;
  uint64_t instance_seed = 0;  // L3: differs between instances
  Chash::Settings chash = {};  // equal on all instances
  uint32_t refill_slots = 0;   // W7: due since the former generation
};

// Immutable, but for the least_conn counts, which have a lock of their own.
class PickerNodes {
 public:
  // `former` is the scope's former generation, or null. The least_conn counts go on from there, also
  // over generations that pick in another way (L4). An error as Chash::build() says.
  // REQUIRES: identities are unique; weights are at most 65535 (C5).
  static Result<std::shared_ptr<const PickerNodes>> make(const PickerSettings& settings,
                                                         std::vector<PickerNode> nodes,
                                                         const PickerNodes* former);

  // Ascending by identity, whatever order they came in (W9); numbers are indices into it.
  const std::vector<PickerNode>& nodes() const { return nodes_; }
  Algorithm algorithm() const { return algorithm_; }
  // Whether another generation is due for a refill alone (W7).
  bool off_goal() const { return chash_ != nullptr && chash_->off_goal(); }
  // Requests that least_conn has out at a node, for status and metrics.
  uint32_t in_flight(const Identity& identity) const { return counts_->in_flight(identity); }

 private:
  friend class Picker;
  PickerNodes() = default;

  Algorithm algorithm_ = Algorithm::kRoundRobin;
  std::vector<PickerNode> nodes_;
  std::shared_ptr<LeastConn> counts_;
  std::shared_ptr<const LeastConn::Members> members_;  // if least_conn
  std::shared_ptr<const Chash> chash_;                 // if chash
};

// Where to send a request.
struct Pick {
  NodeNumber node;
  uint32_t address;  // index into the node's addresses
  Lease lease;       // with least_conn: held until the request, or this try of it, is over
};

// One worker's; not for several threads at once.
class Picker {
 public:
  // `worker_seed` decides where this worker starts. REQUIRES: `nodes` is not null.
  Picker(std::shared_ptr<const PickerNodes> nodes, uint64_t worker_seed);
  // The next generation. `former` may be used on by its requests.
  Picker(std::shared_ptr<const PickerNodes> nodes, const Picker& former);

  // A node with an effective weight that was not tried, of the highest priority that has one (P7);
  // nothing if there is none: 503, or 502 after tries (P4). An address of it: by the hash with chash,
  // else they rotate (S4.5). `hash` matters to chash only.
  std::optional<Pick> pick(uint64_t hash, const Tried& tried = {});

  const PickerNodes& nodes() const { return *nodes_; }

 private:
  // Which of a node's addresses is next.
  struct Rotation {
    uint32_t next;   // below `count`
    uint32_t count;  // of its addresses
  };
  void start_rotations();
  void take_over_rotations(const Picker& former);
  void order_tiers(const Picker* former);
  uint32_t next_address(NodeNumber node);

  std::shared_ptr<const PickerNodes> nodes_;
  uint64_t worker_seed_;
  std::vector<Rotation> rotations_;     // by node
  ByPriority<RoundRobin> round_robin_;  // if roundrobin
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_PICKER_H_
