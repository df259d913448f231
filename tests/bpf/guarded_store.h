// SPDX-License-Identifier: Apache-2.0
// A MapStore that asks before each write of the one beneath it: what is asked may refuse the write,
// or end the process.
#ifndef RAMPART_TESTS_BPF_GUARDED_STORE_H_
#define RAMPART_TESTS_BPF_GUARDED_STORE_H_

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "maps/map_store.h"

namespace rampart {

class GuardedStore final : public maps::MapStore {
 public:
  // By the name of the write.
  using Guard = std::function<Result<void>(const char* write)>;

  // REQUIRES: the store outlives this.
  GuardedStore(maps::MapStore& store, Guard guard) : store_(store), guard_(std::move(guard)) {}

  uint32_t max_vips() const override { return store_.max_vips(); }
  uint32_t max_backends() const override { return store_.max_backends(); }
  Result<std::vector<std::pair<rp_vip_key, VipNumber>>> vips() const override {
    return store_.vips();
  }
  rp_vip_state vip_state(VipNumber number) const override { return store_.vip_state(number); }
  rp_backend backend(BackendId id) const override { return store_.backend(id); }
  rp_flow_count flow_count(CountIndex index) const override { return store_.flow_count(index); }
  uint32_t table_room(VipNumber number) const override { return store_.table_room(number); }
  std::vector<uint16_t> live_slots(VipNumber number, uint32_t table_size) const override {
    return store_.live_slots(number, table_size);
  }
  uint32_t member_room(VipNumber number) const override { return store_.member_room(number); }
  std::vector<maps::Member> live_members(VipNumber number) const override {
    return store_.live_members(number);
  }
  bool in_place(VipNumber number) const override { return store_.in_place(number); }
  uint32_t nat_backends() const override { return store_.nat_backends(); }

  Result<void> write_backend(BackendId id, const rp_backend& value) override {
    return guarded("write_backend", [&] { return store_.write_backend(id, value); });
  }
  Result<void> restore_backend(BackendId id, const rp_backend& value) override {
    return guarded("restore_backend", [&] { return store_.restore_backend(id, value); });
  }
  Result<void> set_backend_state(BackendId id, rp_backend_state state,
                                 uint32_t drain_until) override {
    return guarded("set_backend_state",
                   [&] { return store_.set_backend_state(id, state, drain_until); });
  }
  Result<void> set_flows_move(BackendId id, bool move) override {
    return guarded("set_flows_move", [&] { return store_.set_flows_move(id, move); });
  }
  Result<void> set_backend_scope(BackendId id, uint64_t scope_hash) override {
    return guarded("set_backend_scope", [&] { return store_.set_backend_scope(id, scope_hash); });
  }
  Result<void> set_backend_vip(BackendId id, VipNumber number) override {
    return guarded("set_backend_vip", [&] { return store_.set_backend_vip(id, number); });
  }
  Result<void> join_count(CountIndex index, uint64_t joined) override {
    return guarded("join_count", [&] { return store_.join_count(index, joined); });
  }
  Result<void> set_next_hop(BackendId id, uint64_t next_hop) override {
    return guarded("set_next_hop", [&] { return store_.set_next_hop(id, next_hop); });
  }
  Result<void> write_vip_state(VipNumber number, const rp_vip_state& state) override {
    return guarded("write_vip_state", [&] { return store_.write_vip_state(number, state); });
  }
  Result<void> set_vip_settings(VipNumber number, const rp_vip_state& state) override {
    return guarded("set_vip_settings", [&] { return store_.set_vip_settings(number, state); });
  }
  Result<void> create_table(VipNumber number, std::span<const uint16_t> slots) override {
    return guarded("create_table", [&] { return store_.create_table(number, slots); });
  }
  Result<void> create_members(VipNumber number, std::span<const maps::Member> members,
                              uint32_t room) override {
    return guarded("create_members", [&] { return store_.create_members(number, members, room); });
  }
  Result<void> publish(VipNumber number, std::span<const uint16_t> slots,
                       std::span<const maps::Member> members) override {
    return guarded("publish", [&] { return store_.publish(number, slots, members); });
  }
  Result<void> announce_vip(const rp_vip_key& key, VipNumber number) override {
    return guarded("announce_vip", [&] { return store_.announce_vip(key, number); });
  }
  Result<void> withdraw_vip(const rp_vip_key& key) override {
    return guarded("withdraw_vip", [&] { return store_.withdraw_vip(key); });
  }
  Result<void> free_vip(VipNumber number) override {
    return guarded("free_vip", [&] { return store_.free_vip(number); });
  }
  Result<void> set_nat_backends(uint32_t count) override {
    return guarded("set_nat_backends", [&] { return store_.set_nat_backends(count); });
  }

 private:
  template <typename Write>
  Result<void> guarded(const char* name, Write write) {
    if (auto may = guard_(name); !may) return may;
    return write();
  }

  maps::MapStore& store_;
  Guard guard_;
};

}  // namespace rampart

#endif  // RAMPART_TESTS_BPF_GUARDED_STORE_H_
