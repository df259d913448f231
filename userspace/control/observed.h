// SPDX-License-Identifier: Apache-2.0
// What the kernel holds, as the control plane remembers it: read back once (adoption), then kept by
// every write that succeeds. The periodic reconcile compares it with the maps again.
#ifndef RAMPART_USERSPACE_CONTROL_OBSERVED_H_
#define RAMPART_USERSPACE_CONTROL_OBSERVED_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "control/joins.h"
#include "control/wire.h"
#include "engine/slots.h"
#include "maps/grace.h"
#include "maps/map_store.h"
#include "maps/member.h"

namespace rampart::control {

using Members = std::vector<maps::Member>;

struct ObservedVip {
  VipAddress address;
  rp_vip_state state;
  engine::SlotTable table;  // the live half; empty if the number has no table
  // Those of the live half. None if they cannot be read, because the process before died over them.
  std::optional<Members> members;
  uint64_t flipped = 0;  // grace ticket of the last flip: the spare half is free once it passed
};

// A VIP number that was withdrawn and whose grace period may not be over.
struct RetiredVip {
  VipAddress address;
  uint64_t ticket = 0;
};

// An id that was freed: handed out again once no running program and no flow can name it (B5).
struct RestingId {
  uint64_t ticket = 0;        // grace
  bool sweeping = false;      // a sweep of the flow table began after the grace period
  bool swept = false;         // a sweep of the flow table began and ended after the grace period
  CountIndex count_index{0};  // still given back to by those sweeps
};

struct Observed {
  uint32_t max_vips = 0;
  uint32_t max_backends = 0;
  std::map<VipNumber, ObservedVip> vips;  // announced
  std::map<VipNumber, RetiredVip> retired;
  std::map<BackendId, rp_backend> backends;  // serving or draining
  std::map<BackendId, RestingId> resting;
  std::map<BackendId, uint16_t> incarnations;  // the last one of each id that was ever handed out
  Joins joins;
  uint32_t nat_backends = UINT32_MAX;  // as last written to rp_runtime; unknown after adoption

  // Ids and numbers of what is there, by what they stand for. A key can name two ids while the
  // former one drains; a serving one is preferred.
  std::map<BackendKey, BackendId> ids() const;
  std::map<VipAddress, VipNumber> numbers() const;
  // Of one VIP; none if it is not announced.
  std::optional<VipNumber> number_of(const VipAddress& address) const;
};

// Reads the maps. Numbers and ids that an earlier process left half-made count as retired and
// resting: they are cleared by the next plan.
Result<Observed> observe(const maps::MapStore& store, maps::GracePeriods& grace);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_OBSERVED_H_
