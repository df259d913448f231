// SPDX-License-Identifier: Apache-2.0
// Who gets the next request of a pool, as the proxy picks (engine/picker.h), and how many each node
// holds. chash alone asks the slot table, with a made-up hash for each request, so that its requests
// follow the slots that are shown.
#ifndef RAMPART_TOOLS_SIMULATE_CHOOSER_H_
#define RAMPART_TOOLS_SIMULATE_CHOOSER_H_

#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.h"
#include "engine/picker.h"
#include "engine/snapshot.h"
#include "simulate/vip_table.h"

namespace rampart::simulate {

class Chooser {
 public:
  // REQUIRES: `table` outlives this.
  Chooser(engine::Algorithm algorithm, const VipTable& table, uint64_t seed);

  // The weights from now on.
  void follow(const engine::ScopeState& scope);

  // A request at a node: counted until it is gone.
  class Held {
   public:
    Identity node;

   private:
    friend class Chooser;
    engine::Lease lease_;  // with least_conn
  };
  // Nothing if there is no backend (W3).
  std::optional<Held> take();
  void give_back(Held held);
  // A node that left keeps its count (L4).
  uint64_t in_flight_at(const Identity& node) const;

 private:
  std::optional<Held> next();
  std::optional<Held> next_of_table();

  engine::PickerSettings settings_;
  const VipTable& table_;
  uint64_t random_;
  bool uses_table_;
  std::optional<engine::Picker> picker_;
  std::map<Identity, uint64_t> in_flight_;
};

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_CHOOSER_H_
