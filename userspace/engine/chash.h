// SPDX-License-Identifier: Apache-2.0
// chash at L7: one key, one node, as long as that node may serve (P8).
//
// Problem. A health check that fails, a drain or a retry must send a key elsewhere for a while, and
// back afterwards, without touching the keys of other nodes. If such nodes lost their slots, as they
// do at L4 (W10), every flap would move slots twice.
//
// Choice. The table is built from the *ramped* weights of all present nodes, as if they were eligible
// and not draining. At a pick the walk starts at the key's slot and goes on past nodes that may not
// serve or were tried: only their keys go elsewhere, spread over all others, since the neighbours of
// their slots differ (tried: 0.6 to 1.3 of an even part for each other node). From generation to
// generation the table moves by the fewest slots towards its goal (W6, W7, slots.h), which follows
// the target weights; once nothing ramps it is refilled.
//
// Each address of a node owns slots of its own, by an equal part of the node's weight (S4.5). A node
// of one address is placed by its identity alone, so that a Pod which moves keeps its slots.
//
// A pick is one look into the table (docs/decisions/0006: 22 ns); the walk's length is that of the
// run of slots without a usable node, which is short unless most of the weight is out. A refresh of
// weights costs a table step (docs/decisions/0005): once per generation, not per worker.
#ifndef RAMPART_USERSPACE_ENGINE_CHASH_H_
#define RAMPART_USERSPACE_ENGINE_CHASH_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/picker_node.h"
#include "engine/priorities.h"
#include "engine/slots.h"

namespace rampart::engine {

// The tables of one generation, one per priority. Immutable: all workers share it without a lock.
class Chash {
 public:
  struct Settings {
    uint32_t table_size = 65537;  // prime
    uint64_t seed = 0;            // W7: from the scope's id, equal on all balancers

    bool operator==(const Settings&) const = default;
  };
  struct Place {
    NodeNumber node;
    uint32_t address;  // index into its addresses
  };

  // `former` may be null: a fresh start is the goal itself. An error if the size is none for a table,
  // or the addresses with a weight of one priority are more than the slots (W4); the caller then
  // keeps the former generation.
  // Up to `refill_slots` further slots go back to their place (W7), of priorities in which nothing
  // that may serve ramps: as many as are due since the former generation.
  // REQUIRES: `nodes` ascend by identity; weights are at most 65535 (C5).
  static Result<std::shared_ptr<const Chash>> build(std::span<const PickerNode> nodes,
                                                    const Settings& settings, const Chash* former,
                                                    uint32_t refill_slots = 0);
  // Whether a refill has something to do: then another generation is due though no weight changed.
  bool off_goal() const;

  // Where the key of this hash goes: to a node with an effective weight that was not tried, or
  // nothing if there is none. The same answer for the same hash at any time in this generation. The
  // caller hashes the key of `hash_on` to all 64 bits.
  std::optional<Place> pick(uint64_t hash, const Tried& tried = {}) const;

 private:
  // What owns slots: one address of one node.
  struct Share {
    std::string key;  // unique; orders the shares by (identity, address)
    Place place;
    bool usable;    // its node has an effective weight
    Weight weight;  // parts of the ramped and of the target weight
    Weight target;
    Owner owner = kNobody;
  };
  struct Tier {
    std::vector<Share> shares;             // ascending by key
    std::vector<uint32_t> share_of;        // by owner: index into shares
    std::vector<NodeNumber> usable_nodes;  // that own slots; ascending
    GoalTable goal;
    SlotTable table;
  };

  static std::vector<Share> shares_of(std::span<const PickerNode> nodes,
                                      std::span<const NodeNumber> numbers);
  static bool give_owners(std::vector<Share>& shares, const Tier* former);
  static Tier build_tier(std::vector<Share> shares, const Settings& settings, const Tier* former);
  static void index(Tier& tier);
  static bool ramps(const Tier& tier);
  static void fill(Tier& tier, const Settings& settings, const Tier* former);
  static std::optional<Place> walk(const Tier& tier, uint64_t hash, const Tried& tried);

  Settings settings_;
  ByPriority<Tier> tiers_;
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_CHASH_H_
