// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_MAPS_KERNEL_MAP_STORE_H_
#define RAMPART_MAPS_KERNEL_MAP_STORE_H_

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "maps/doors.h"
#include "maps/map_store.h"
#include "maps/member_tables.h"
#include "maps/slot_tables.h"

namespace rampart::maps {

// The types of the object's inner maps.
struct InnerMapTypes {
  InnerMapType slots;
  InnerMapType members;
};

// The MapStore of a running kernel.
class KernelMapStore final : public MapStore {
 public:
  // Opens the pins in `folder`, those of inner maps too.
  static Result<std::unique_ptr<KernelMapStore>> open(const std::string& folder,
                                                      const InnerMapTypes& types);

  Doors& doors() { return doors_; }
  const Doors& doors() const { return doors_; }

  uint32_t max_vips() const override { return doors_.vip_state.size() - 1; }
  uint32_t max_backends() const override { return doors_.backends.size() - 1; }
  Result<std::vector<std::pair<rp_vip_key, VipNumber>>> vips() const override;
  rp_vip_state vip_state(VipNumber number) const override;
  rp_backend backend(BackendId id) const override;
  rp_flow_count flow_count(CountIndex index) const override;
  uint32_t table_room(VipNumber number) const override { return tables_.room(number); }
  std::vector<uint16_t> live_slots(VipNumber number, uint32_t table_size) const override;
  uint32_t member_room(VipNumber number) const override { return members_.room(number); }
  std::vector<Member> live_members(VipNumber number) const override;
  bool in_place(VipNumber number) const override {
    return tables_.in_place(number) && members_.in_place(number);
  }
  uint32_t nat_backends() const override { return load(doors_.runtime.at(0).nat_backends); }

  Result<void> write_backend(BackendId id, const rp_backend& value) override;
  Result<void> restore_backend(BackendId id, const rp_backend& value) override;
  Result<void> set_backend_state(BackendId id, rp_backend_state state,
                                 uint32_t drain_until) override;
  Result<void> set_flows_move(BackendId id, bool move) override;
  Result<void> set_backend_scope(BackendId id, uint64_t scope_hash) override;
  Result<void> set_backend_vip(BackendId id, VipNumber number) override;
  Result<void> join_count(CountIndex index, uint64_t joined) override;
  Result<void> set_next_hop(BackendId id, uint64_t next_hop) override;

  Result<void> write_vip_state(VipNumber number, const rp_vip_state& state) override;
  Result<void> set_vip_settings(VipNumber number, const rp_vip_state& state) override;
  Result<void> create_table(VipNumber number, std::span<const uint16_t> slots) override;
  Result<void> create_members(VipNumber number, std::span<const Member> members,
                              uint32_t room) override;
  Result<void> publish(VipNumber number, std::span<const uint16_t> slots,
                       std::span<const Member> members) override;
  Result<void> announce_vip(const rp_vip_key& key, VipNumber number) override;
  Result<void> withdraw_vip(const rp_vip_key& key) override;
  Result<void> free_vip(VipNumber number) override;

  Result<void> set_nat_backends(uint32_t count) override;

 private:
  KernelMapStore(Doors doors, const std::string& folder, const InnerMapTypes& types);

  Doors doors_;
  SlotTables tables_;
  MemberTables members_;
};

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_KERNEL_MAP_STORE_H_
