// SPDX-License-Identifier: Apache-2.0
// From what is to what should be: a pure diff, as a list of writes in an order that keeps every
// packet served whatever the last write done (make before break).
//
// Invariants, after any prefix of a plan:
//
//   I1  an announced VIP has a table, and its number's state and settings; one that is least_conn's
//       has its members;
//   I2  no slot names an id that is free, and no member that a program can read;
//   I3  an id is written afresh only while no flow, slot or running program can name it (B5);
//   I4  a half, a number or an id is used again only after a grace period;
//   I5  a backend that its flows leave (F3) is in no table that programs can read.
//
// Phases: new backends → tables → new VIPs announced → removed VIPs withdrawn → backends left by
// their flows, and drained → ids and numbers freed. A write whose grace period is not over is left out; the next
// plan, made from what then is, contains it. An empty diff is an empty plan.
#ifndef RAMPART_USERSPACE_CONTROL_PLAN_H_
#define RAMPART_USERSPACE_CONTROL_PLAN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "control/desired.h"
#include "control/observed.h"
#include "control/tables.h"
#include "maps/grace.h"

namespace rampart::control {

struct WriteBackend {
  BackendId id;
  rp_backend value;
};
struct ServeBackend {
  BackendId id;
};  // ends a drain
// Its flows stay with it; they leave it (F3).
struct KeepFlows {
  BackendId id;
};
struct MoveFlows {
  BackendId id;
};
struct RescopeBackend {
  BackendId id;
  uint64_t scope_hash;
};
// Which counts it is summed with (control/joins.h).
struct JoinCount {
  CountIndex index;
  uint64_t joined;
};
struct WriteVip {
  VipNumber number;
  VipAddress address;
  rp_vip_state state;
  engine::SlotTable slots;
  Members members;  // none unless it is least_conn's
};
// The VIP of a backend came back under another number before the backend was freed.
struct RenumberBackend {
  BackendId id;
  VipNumber number;
};
struct SetVip {
  VipNumber number;
  rp_vip_state settings;
};
struct GrowTable {
  VipNumber number;
  rp_vip_state settings;
  engine::SlotTable slots;
};
// Room for members that come; those that are there stay what programs read.
struct GrowMembers {
  VipNumber number;
  Members members;
  uint32_t room;
};
// Slots and members, by one flip.
struct PublishTable {
  VipNumber number;
  engine::SlotTable slots;
  Members members;
  SlotMoves moves;
};
struct AnnounceVip {
  VipNumber number;
  VipAddress address;
};
struct WithdrawVip {
  VipNumber number;
  VipAddress address;
};
struct DrainBackend {
  BackendId id;
  uint32_t until;
};
struct FreeBackend {
  BackendId id;
};
struct FreeVip {
  VipNumber number;
};
struct SetNatBackends {
  uint32_t count;
};

using Write =
    std::variant<SetNatBackends, WriteBackend, ServeBackend, KeepFlows, RescopeBackend, JoinCount,
                 WriteVip, RenumberBackend, SetVip, GrowTable, GrowMembers, PublishTable,
                 AnnounceVip, WithdrawVip, MoveFlows, DrainBackend, FreeBackend, FreeVip>;

struct Plan {
  std::vector<Write> writes;
  bool waiting = false;   // something was left out because a grace period or a sweep is not over
  bool off_goal = false;  // a table could be refilled, and it is not time for it
};

// What a plan depends on besides desired and observed.
struct PlanInputs {
  const maps::GracePeriods& grace;
  const maps::MapStore& store;  // read only: flow counts, table room
  std::function<uint64_t(const BackendKey&)> next_hop;
  uint32_t now_seconds;  // CLOCK_BOOTTIME
  Refill refill = Refill::kNotNow;
};

// Never fails: what numbers and ids do not suffice for is left out and waits until some are free again.
// That they suffice in the end is checked before a configuration is accepted (capacity.h).
Plan make_plan(const DesiredPlane& desired, const Observed& observed, Tables& tables,
               const PlanInputs& inputs);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_PLAN_H_
