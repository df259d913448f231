// SPDX-License-Identifier: Apache-2.0
// Requests that come to a pool and last for a while: who is picked for them, and how many each node
// holds. Nothing here knows of ramps: it follows weights.
#ifndef RAMPART_TOOLS_SIMULATE_TRAFFIC_H_
#define RAMPART_TOOLS_SIMULATE_TRAFFIC_H_

#include <map>
#include <optional>

#include "base/ids.h"
#include "base/time.h"
#include "engine/snapshot.h"
#include "simulate/chooser.h"
#include "simulate/scenario.h"
#include "simulate/vip_table.h"

namespace rampart::simulate {

class Traffic {
 public:
  // `table` is who answers chash. REQUIRES: it outlives this.
  Traffic(engine::Algorithm algorithm, const VipTable& table, uint64_t seed);

  // Requests come at this rate from now on; those that are under way end as they would have.
  void set_load(const Load& load, TimePoint now);
  void follow(const engine::ScopeState& scope) { chooser_.follow(scope); }
  // Plays what comes and ends before `until`.
  void run_to(TimePoint until);
  // A reboot: all flows end.
  void lose_flows();

  bool is_some() const { return load_.is_some() || !ends_.empty(); }
  uint64_t requests_to(const Identity& node) const;  // since the beginning
  uint64_t in_flight_at(const Identity& node) const { return chooser_.in_flight_at(node); }
  uint64_t unserved() const { return unserved_; }  // no backend (W3); since the beginning

 private:
  void begin_one();
  void end_one();
  Duration drawn(Duration mean);

  Chooser chooser_;
  Load load_{};
  std::optional<TimePoint> next_{};  // request
  std::multimap<TimePoint, Chooser::Held> ends_;
  std::map<Identity, uint64_t> requests_{};
  uint64_t unserved_ = 0;
  uint64_t random_;
};

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_TRAFFIC_H_
