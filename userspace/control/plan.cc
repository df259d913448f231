// SPDX-License-Identifier: Apache-2.0
#include "control/plan.h"

#include <arpa/inet.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "base/hash.h"
#include "control/spares.h"
#include "maps/backend_state.h"
#include "maps/live_word.h"
#include "rampart/members.h"

namespace rampart::control {
namespace {

using maps::state_of;

bool same_settings(const rp_vip_state& a, const rp_vip_state& b) {
  rp_vip_state left = a;
  left.live = b.live;
  return std::memcmp(&left, &b, sizeof b) == 0;
}

bool is_least_conn(const rp_vip_state& settings) {
  return settings.algorithm == RP_LEAST_CONN;
}

// What cannot be read may have it.
bool is_member(BackendId id, const std::optional<Members>& members) {
  const auto is = [&](const maps::Member& member) { return member.id == id; };
  return !members || std::any_of(members->begin(), members->end(), is);
}

// Doubling, so that a VIP that grows member by member seldom needs a larger map.
uint32_t room_for(const Members& members) {
  return std::bit_ceil(std::max<uint32_t>(RP_MIN_MEMBER_ROOM, members.size()));
}

class Planner {
 public:
  Planner(const DesiredPlane& desired, const Observed& observed, Tables& tables,
          const PlanInputs& inputs)
      : desired_(desired),
        observed_(observed),
        tables_(tables),
        inputs_(inputs),
        spares_(observed),
        ids_(observed.ids()),
        numbers_(observed.numbers()) {}

  Plan run() {
    for (const DesiredVip& vip : desired_) inherit_counts(vip);
    for (const DesiredVip& vip : desired_) place(vip);
    withdraw_vips();
    move_flows();
    drain_backends();
    free_vips();
    join_counts();
    count_nat_backends();
    return assemble();
  }

 private:
  void inherit_counts(const DesiredVip& vip) {
    for (const DesiredBackend& backend : vip.backends) {
      const auto found = ids_.find(backend.key);
      if (found == ids_.end()) continue;
      const CountIndex index{observed_.backends.at(found->second).count_index};
      spares_.inherit(hash64(backend.scope), backend.key.identity_hash, index);
    }
  }

  // Numbers, ids and the table of one VIP. Those that are about to be free again are waited for: until
  // then the VIP stays as it is.
  void place(const DesiredVip& vip) {
    const auto found = numbers_.find(vip.address);
    const bool announced = found != numbers_.end();
    const std::optional<VipNumber> number =
        announced ? std::optional(found->second) : spares_.number();
    std::vector<BackendId> ids;
    for (const DesiredBackend& backend : vip.backends) {
      const auto id = number ? place_backend(backend, *number) : std::nullopt;
      if (id) ids.push_back(*id);
    }
    if (!number || ids.size() < vip.backends.size()) {
      plan_.waiting = true;
      if (announced) unpublished_.insert(*number);
    } else if (announced) {
      update_vip(vip, *number, ids);
    } else {
      write_vip(vip, *number, ids);
    }
  }

  std::optional<BackendId> place_backend(const DesiredBackend& backend, VipNumber number) {
    const uint64_t scope_hash = hash64(backend.scope);
    const auto found = ids_.find(backend.key);
    if (found != ids_.end()) {
      const rp_backend& there = observed_.backends.at(found->second);
      wanted_.insert(found->second);
      counted_.push_back({scope_hash, backend.key.identity_hash, CountIndex{there.count_index}});
      if (there.scope_hash != scope_hash) add(RescopeBackend{found->second, scope_hash});
      if (there.vip != raw(number)) add(RenumberBackend{found->second, number});
      if (state_of(there) == RP_BACKEND_DRAINING) add(ServeBackend{found->second});
      if (backend.flows_move != maps::flows_move(there)) add_flows_move(found->second, backend);
      return found->second;
    }
    const auto id = spares_.id();
    if (!id) return std::nullopt;
    wanted_.insert(*id);
    const rp_backend value = value_of(backend, *id, number, scope_hash);
    new_counts_.emplace(*id, value.count_index);
    counted_.push_back({scope_hash, value.identity_hash, CountIndex{value.count_index}});
    add(WriteBackend{*id, value});
    if (backend.key.forward == RP_FORWARD_NAT) ++new_nat_backends_;
    return id;
  }

  // I5: its flows may stay before a table names it again, and leave it after the last one that does.
  void add_flows_move(BackendId id, const DesiredBackend& backend) {
    if (backend.flows_move) {
      left_.push_back(id);
    } else {
      add(KeepFlows{id});
    }
  }

  rp_backend value_of(const DesiredBackend& backend, BackendId id, VipNumber number,
                      uint64_t scope_hash) {
    const auto last = observed_.incarnations.find(id);
    const uint16_t former = last == observed_.incarnations.end() ? 0 : last->second;
    const uint16_t incarnation = former == UINT16_MAX ? 1 : former + 1;  // 0: never handed out
    const __u32 state = __u32{incarnation} << RP_STATE_INCARNATION_SHIFT | RP_BACKEND_SERVING;
    const uint64_t identity_hash = backend.key.identity_hash;
    const rp_vip_key vip = to_wire(backend.key.vip);
    return rp_backend{.vip_address = vip.address,
                      .address = to_wire(backend.key.address),
                      .vip_port = vip.port,
                      .port = htons(backend.key.port),
                      .protocol = vip.protocol,
                      .forward = static_cast<__u8>(backend.key.forward),
                      .zero = 0,
                      .scope_hash = scope_hash,
                      .identity_hash = identity_hash,
                      .count_index = raw(spares_.count_index(scope_hash, identity_hash)),
                      .drain_until = 0,
                      .next_hop = inputs_.next_hop(backend.key),
                      .state = maps::with_flows_move(state, backend.flows_move),
                      .vip = raw(number)};
  }

  void write_vip(const DesiredVip& vip, VipNumber number, const std::vector<BackendId>& ids) {
    NextTable next = tables_.next(vip, {}, ids, Refill::kNotNow);
    Members members = is_least_conn(vip.settings) ? members_of(vip, ids) : Members();
    rp_vip_state state = vip.settings;
    state.live = maps::word_of(
        {.generation = 1, .half = 0, .members = static_cast<uint32_t>(members.size())});
    if (!members.empty()) add(GrowMembers{number, members, room_for(members)});
    add(WriteVip{number, vip.address, state, std::move(next.slots), std::move(members)});
    add(AnnounceVip{number, vip.address});
  }

  // L2: those with a weight. `ids` are those of the VIP's backends, in their order.
  Members members_of(const DesiredVip& vip, const std::vector<BackendId>& ids) const {
    Members members;
    for (size_t i = 0; i < ids.size(); ++i) {
      const uint64_t weight = vip.backends[i].effective.raw();
      if (weight == 0) continue;
      const auto known = observed_.backends.find(ids[i]);
      const uint32_t count =
          known != observed_.backends.end() ? known->second.count_index : new_counts_.at(ids[i]);
      members.push_back({.id = ids[i],
                         .count_index = CountIndex{count},
                         .weight = static_cast<uint32_t>(weight)});
    }
    return members;
  }

  void update_vip(const DesiredVip& vip, VipNumber number, const std::vector<BackendId>& ids) {
    const ObservedVip& there = observed_.vips.at(number);
    NextTable next = tables_.next(vip, there.table, ids, inputs_.refill);
    if (next.off_goal) plan_.off_goal = true;
    Members members = next_members(vip, there, ids);
    const bool other_members = is_least_conn(vip.settings) && there.members != members;
    rp_vip_state settings = vip.settings;
    // I1: it becomes least_conn's once its members are there.
    if (other_members) settings.algorithm = there.state.algorithm;
    if (settings.table_size > there.state.table_size ||
        settings.table_size > inputs_.store.table_room(number)) {
      // Without a next table the one that is there is right, and only its size was not stored.
      engine::SlotTable slots = next.slots.empty() ? there.table : std::move(next.slots);
      add(GrowTable{number, settings, std::move(slots)});
      if (other_members)
        unpublished_.insert(number);  // the next plan, with the table as it then is
      return;
    }
    if (!same_settings(there.state, settings)) add(SetVip{number, settings});
    if (next.slots.empty() && !other_members) return;
    if (!inputs_.grace.passed(there.flipped)) {
      plan_.waiting = true;
      unpublished_.insert(number);
      return;
    }
    if (members.size() > inputs_.store.member_room(number)) {
      add(GrowMembers{number, there.members.value_or(members), room_for(members)});
    }
    engine::SlotTable slots = next.slots.empty() ? there.table : std::move(next.slots);
    add(PublishTable{number, std::move(slots), std::move(members), next.moves});
  }

  // Also while a VIP ceases to be least_conn's: a program may have read its algorithm before.
  Members next_members(const DesiredVip& vip, const ObservedVip& there,
                       const std::vector<BackendId>& ids) const {
    const bool read = is_least_conn(vip.settings) || is_least_conn(there.state);
    return read ? members_of(vip, ids) : Members();
  }

  void withdraw_vips() {
    std::set<VipAddress> wanted;
    for (const DesiredVip& vip : desired_) wanted.insert(vip.address);
    for (const auto& [number, vip] : observed_.vips) {
      if (wanted.contains(vip.address)) continue;
      add(WithdrawVip{number, vip.address});
      withdrawing_.insert(number);
    }
  }

  void move_flows() {
    for (const BackendId id : left_) {
      const auto vip = observed_.vips.find(VipNumber{observed_.backends.at(id).vip});
      if (vip != observed_.vips.end() && may_be_chosen(id, vip->second)) {
        plan_.waiting = true;
      } else {
        add(MoveFlows{id});
      }
    }
  }

  // A half that programs can read has it: the live one, or the one before.
  bool may_be_chosen(BackendId id, const ObservedVip& vip) const {
    if (!inputs_.grace.passed(vip.flipped)) return true;
    if (is_least_conn(vip.state) && is_member(id, vip.members)) return true;
    return std::find(vip.table.begin(), vip.table.end(), raw(id)) != vip.table.end();
  }

  void drain_backends() {
    for (const auto& [id, backend] : observed_.backends) {
      const VipNumber number{backend.vip};
      if (wanted_.contains(id) || withdrawing_.contains(number)) continue;
      if (!observed_.vips.contains(number)) {
        free_after_retirement(id, number);
      } else if (state_of(backend) == RP_BACKEND_SERVING) {
        // I2: as long as a table still names it, it serves.
        if (!unpublished_.contains(number)) add(DrainBackend{id, drain_end(number)});
      } else if (drained(backend)) {
        free(id);
      }
    }
  }

  void free(BackendId id) {
    add(FreeBackend{id});
    freed_.insert(id);
  }

  // Nobody can reach the backends of a VIP that is gone: they do not drain.
  void free_after_retirement(BackendId id, VipNumber number) {
    const auto retired = observed_.retired.find(number);
    if (retired == observed_.retired.end() || inputs_.grace.passed(retired->second.ticket)) {
      free(id);
    } else {
      plan_.waiting = true;
    }
  }

  uint32_t drain_end(VipNumber number) const {
    return inputs_.now_seconds + observed_.vips.at(number).state.drain_timeout;
  }

  bool drained(const rp_backend& backend) {
    // Flows that were being made when its last slot went are in the count after a grace period.
    if (!inputs_.grace.passed(observed_.vips.at(VipNumber{backend.vip}).flipped)) {
      plan_.waiting = true;
      return false;
    }
    if (backend.drain_until <= inputs_.now_seconds) return true;
    const rp_flow_count count = inputs_.store.flow_count(CountIndex{backend.count_index});
    return count.opened == count.closed;
  }

  void free_vips() {
    for (const auto& [number, retired] : observed_.retired) {
      if (inputs_.grace.passed(retired.ticket)) {
        add(FreeVip{number});
      } else {
        plan_.waiting = true;
      }
    }
  }

  // Parted first, so that no list is longer than it was or will be.
  void join_counts() {
    for (const auto& [id, backend] : observed_.backends) {
      if (wanted_.contains(id) || freed_.contains(id)) continue;
      counted_.push_back(
          {backend.scope_hash, backend.identity_hash, CountIndex{backend.count_index}});
    }
    const Joins joins = joins_of(std::move(counted_));
    for (const auto& [index, joined] : observed_.joins) {
      if (!joins.contains(index)) add(JoinCount{index, 0});
    }
    for (const auto& [index, joined] : joins) {
      const auto there = observed_.joins.find(index);
      if (there == observed_.joins.end() || there->second != joined) add(JoinCount{index, joined});
    }
  }

  // Raised before the first nat backend is there, lowered after the last one is gone (F10).
  void count_nat_backends() {
    uint32_t count = new_nat_backends_;
    for (const auto& [id, backend] : observed_.backends) {
      if (backend.forward == RP_FORWARD_NAT) ++count;
    }
    if (count != observed_.nat_backends) add(SetNatBackends{count});
  }

  template <typename One>
  void add(One write) {
    plan_.writes.push_back(std::move(write));
  }

  // The phases are the order of the alternatives of Write.
  Plan assemble() {
    std::stable_sort(plan_.writes.begin(), plan_.writes.end(),
                     [](const Write& a, const Write& b) { return a.index() < b.index(); });
    return std::move(plan_);
  }

  const DesiredPlane& desired_;
  const Observed& observed_;
  Tables& tables_;
  const PlanInputs& inputs_;
  Spares spares_;
  const std::map<BackendKey, BackendId> ids_;
  const std::map<VipAddress, VipNumber> numbers_;
  std::set<BackendId> wanted_;
  std::set<BackendId> freed_;
  std::vector<CountedBy> counted_;
  std::map<BackendId, uint32_t> new_counts_;  // count indices of ids that are written
  std::set<VipNumber> unpublished_;  // their tables wait: what those name must stay as it is
  std::vector<BackendId> left_;      // by their flows, once no table names them
  std::set<VipNumber> withdrawing_;
  uint32_t new_nat_backends_ = 0;
  Plan plan_;
};

}  // namespace

Plan make_plan(const DesiredPlane& desired, const Observed& observed, Tables& tables,
               const PlanInputs& inputs) {
  return Planner(desired, observed, tables, inputs).run();
}

}  // namespace rampart::control
