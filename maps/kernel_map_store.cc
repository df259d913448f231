// SPDX-License-Identifier: Apache-2.0
#include "maps/kernel_map_store.h"

#include "maps/backend_state.h"
#include "maps/live_word.h"

namespace rampart::maps {

KernelMapStore::KernelMapStore(Doors doors, const std::string& folder, const InnerMapTypes& types)
    : doors_(std::move(doors)),
      tables_(doors_.slots.get(), folder, types.slots),
      members_(doors_.members.get(), folder, types.members) {}

Result<std::unique_ptr<KernelMapStore>> KernelMapStore::open(const std::string& folder,
                                                             const InnerMapTypes& types) {
  auto doors = Doors::open(folder);
  if (!doors) return doors.error();
  std::unique_ptr<KernelMapStore> store(new KernelMapStore(std::move(*doors), folder, types));
  if (auto opened = store->tables_.open_pins(); !opened) return opened.within("slot tables");
  if (auto opened = store->members_.open_pins(); !opened) return opened.within("members");
  return store;
}

Result<std::vector<std::pair<rp_vip_key, VipNumber>>> KernelMapStore::vips() const {
  const auto entries = doors_.vips.entries();
  if (!entries) return entries.within("rp_vips");
  std::vector<std::pair<rp_vip_key, VipNumber>> found;
  found.reserve(entries->size());
  for (const auto& [key, vip] : *entries) found.emplace_back(key, VipNumber{vip.number});
  return found;
}

rp_vip_state KernelMapStore::vip_state(VipNumber number) const {
  return doors_.vip_state.at(raw(number));
}

rp_backend KernelMapStore::backend(BackendId id) const {
  return doors_.backends.at(raw(id));
}

rp_flow_count KernelMapStore::flow_count(CountIndex index) const {
  return read_count(doors_.flow_counts.at(raw(index)));
}

std::vector<uint16_t> KernelMapStore::live_slots(VipNumber number, uint32_t table_size) const {
  const uint64_t live = load(doors_.vip_state.at(raw(number)).live);
  return tables_.read(number, live & RP_LIVE_HALF, table_size);
}

std::vector<Member> KernelMapStore::live_members(VipNumber number) const {
  const LiveWord live = live_of(load(doors_.vip_state.at(raw(number)).live));
  return members_.read(number, live.half, live.members);
}

Result<void> KernelMapStore::write_backend(BackendId id, const rp_backend& value) {
  if (auto cleared = doors_.backend_stats.clear(raw(id)); !cleared) {
    return cleared.within("rp_stats");
  }
  rp_backend& entry = doors_.backends.at(raw(id));
  rp_backend unborn = value;
  unborn.state = with_state(value.state, RP_BACKEND_FREE);
  entry = unborn;
  store(entry.state, value.state);
  return {};
}

// Words that are right are stored again with the same value: a program sees no difference.
Result<void> KernelMapStore::restore_backend(BackendId id, const rp_backend& value) {
  doors_.backends.at(raw(id)) = value;
  return {};
}

Result<void> KernelMapStore::set_backend_state(BackendId id, rp_backend_state state,
                                               uint32_t drain_until) {
  rp_backend& entry = doors_.backends.at(raw(id));
  store(entry.drain_until, drain_until);
  store(entry.state, with_state(load(entry.state), state));
  return {};
}

Result<void> KernelMapStore::set_flows_move(BackendId id, bool move) {
  __u32& state = doors_.backends.at(raw(id)).state;
  store(state, with_flows_move(load(state), move));
  return {};
}

Result<void> KernelMapStore::set_backend_scope(BackendId id, uint64_t scope_hash) {
  store(doors_.backends.at(raw(id)).scope_hash, static_cast<__u64>(scope_hash));
  return {};
}

Result<void> KernelMapStore::set_backend_vip(BackendId id, VipNumber number) {
  store(doors_.backends.at(raw(id)).vip, static_cast<__u32>(raw(number)));
  return {};
}

Result<void> KernelMapStore::set_next_hop(BackendId id, uint64_t next_hop) {
  store(doors_.backends.at(raw(id)).next_hop, static_cast<__u64>(next_hop));
  return {};
}

Result<void> KernelMapStore::join_count(CountIndex index, uint64_t joined) {
  store(doors_.flow_counts.at(raw(index)).joined, static_cast<__u64>(joined));
  return {};
}

Result<void> KernelMapStore::write_vip_state(VipNumber number, const rp_vip_state& state) {
  if (auto cleared = doors_.vip_stats.clear(raw(number)); !cleared) {
    return cleared.within("rp_vip_stats");
  }
  doors_.vip_state.at(raw(number)) = state;
  return {};
}

Result<void> KernelMapStore::set_vip_settings(VipNumber number, const rp_vip_state& state) {
  rp_vip_state& entry = doors_.vip_state.at(raw(number));
  store(entry.table_size, state.table_size);
  store(entry.algorithm, state.algorithm);
  store(entry.hash_on, state.hash_on);
  store(entry.on_no_backend, state.on_no_backend);
  store(entry.timeout_syn, state.timeout_syn);
  store(entry.timeout_established, state.timeout_established);
  store(entry.timeout_closing, state.timeout_closing);
  store(entry.timeout_udp, state.timeout_udp);
  store(entry.drain_timeout, state.drain_timeout);
  store(entry.hash_seed, state.hash_seed);
  return {};
}

Result<void> KernelMapStore::create_table(VipNumber number, std::span<const uint16_t> slots) {
  return tables_.create(number, slots);
}

Result<void> KernelMapStore::create_members(VipNumber number, std::span<const Member> members,
                                            uint32_t room) {
  return members_.create(number, members, room);
}

Result<void> KernelMapStore::publish(VipNumber number, std::span<const uint16_t> slots,
                                     std::span<const Member> members) {
  __u64& word = doors_.vip_state.at(raw(number)).live;
  const LiveWord next = live_of(load(word)).next(members.size());
  tables_.write(number, next.half, slots);
  members_.write(number, next.half, members);
  store(word, word_of(next));
  return {};
}

Result<void> KernelMapStore::announce_vip(const rp_vip_key& key, VipNumber number) {
  return doors_.vips.insert(key, rp_vip{.number = raw(number)});
}

Result<void> KernelMapStore::withdraw_vip(const rp_vip_key& key) {
  return doors_.vips.remove(key);
}

Result<void> KernelMapStore::free_vip(VipNumber number) {
  store(doors_.vip_state.at(raw(number)).table_size, __u32{0});
  if (auto gone = tables_.remove(number); !gone) return gone;
  return members_.remove(number);
}

Result<void> KernelMapStore::set_nat_backends(uint32_t count) {
  store(doors_.runtime.at(0).nat_backends, static_cast<__u32>(count));
  return {};
}

}  // namespace rampart::maps
