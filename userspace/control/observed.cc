// SPDX-License-Identifier: Apache-2.0
#include "control/observed.h"

#include "maps/backend_state.h"
#include "maps/live_word.h"

namespace rampart::control {
namespace {

void observe_vip(const maps::MapStore& store, VipNumber number, const VipAddress& address,
                 Observed& observed, uint64_t ticket) {
  const rp_vip_state state = store.vip_state(number);
  ObservedVip vip{
      .address = address, .state = state, .table = {}, .members = std::nullopt, .flipped = ticket};
  if (state.table_size != 0 && store.table_room(number) >= state.table_size) {
    vip.table = store.live_slots(number, state.table_size);
  }
  if (store.member_room(number) >= maps::live_of(state.live).members) {
    vip.members = store.live_members(number);
  }
  observed.vips.emplace(number, std::move(vip));
}

void observe_backend(const maps::MapStore& store, BackendId id, Observed& observed,
                     uint64_t ticket) {
  const rp_backend backend = store.backend(id);
  const uint16_t incarnation = maps::incarnation_of(backend);
  if (incarnation == 0) return;  // never handed out
  observed.incarnations[id] = incarnation;
  if (maps::state_of(backend) == RP_BACKEND_FREE) {
    observed.resting[id] =
        RestingId{.ticket = ticket, .swept = false, .count_index = CountIndex{backend.count_index}};
  } else {
    observed.backends.emplace(id, backend);
  }
}

}  // namespace

std::map<BackendKey, BackendId> Observed::ids() const {
  std::map<BackendKey, BackendId> found;
  for (const auto& [id, backend] : backends) {
    if (vips.contains(VipNumber{backend.vip})) found.emplace(key_of(backend), id);
  }
  return found;
}

std::map<VipAddress, VipNumber> Observed::numbers() const {
  std::map<VipAddress, VipNumber> found;
  for (const auto& [number, vip] : vips) found.emplace(vip.address, number);
  return found;
}

std::optional<VipNumber> Observed::number_of(const VipAddress& address) const {
  for (const auto& [number, vip] : vips) {
    if (vip.address == address) return number;
  }
  return std::nullopt;
}

Result<Observed> observe(const maps::MapStore& store, maps::GracePeriods& grace) {
  const uint64_t ticket = grace.ask();
  Observed observed;
  observed.max_vips = store.max_vips();
  observed.max_backends = store.max_backends();
  const auto announced = store.vips();
  if (!announced) return announced.within("read the VIPs");
  for (const auto& [key, number] : *announced) {
    observe_vip(store, number, from_wire(key), observed, ticket);
  }
  for (uint32_t number = 1; number <= observed.max_vips; ++number) {
    const bool in_use = store.vip_state(VipNumber{number}).table_size != 0;
    if (!in_use || observed.vips.contains(VipNumber{number})) continue;
    observed.retired[VipNumber{number}] = RetiredVip{.address = {}, .ticket = ticket};
  }
  for (uint32_t id = 1; id <= observed.max_backends; ++id) {
    observe_backend(store, static_cast<BackendId>(id), observed, ticket);
    const uint64_t joined = store.flow_count(CountIndex{id}).joined;
    if (joined != 0) observed.joins.emplace(CountIndex{id}, joined);
  }
  return observed;
}

}  // namespace rampart::control
