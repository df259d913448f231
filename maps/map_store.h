// SPDX-License-Identifier: Apache-2.0
// What the control plane may do to the kernel's maps: the seam between deciding and doing. Each
// call is one write of the publishing protocol (rampart/values.h); the order of calls is the
// caller's, made by control/plan. KernelMapStore does it; tests put a fake in its place that
// records and fails on demand.
//
// Thread-safety: none; the control thread owns it.
#ifndef RAMPART_MAPS_MAP_STORE_H_
#define RAMPART_MAPS_MAP_STORE_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "maps/member.h"
#include "rampart/keys.h"
#include "rampart/values.h"

namespace rampart::maps {

class MapStore {
 public:
  virtual ~MapStore() = default;

  // ---- What is there.

  virtual uint32_t max_vips() const = 0;      // highest VIP number
  virtual uint32_t max_backends() const = 0;  // highest backend id
  // Announced VIPs, in no particular order.
  virtual Result<std::vector<std::pair<rp_vip_key, VipNumber>>> vips() const = 0;
  virtual rp_vip_state vip_state(VipNumber number) const = 0;
  virtual rp_backend backend(BackendId id) const = 0;
  virtual rp_flow_count flow_count(CountIndex index) const = 0;  // indices are those of ids
  // Slots that the number's table has room for; 0 if it has none.
  virtual uint32_t table_room(VipNumber number) const = 0;
  // The live half. REQUIRES: table_room(number) >= table_size.
  virtual std::vector<uint16_t> live_slots(VipNumber number, uint32_t table_size) const = 0;

  // Members that the number's inner map has room for; 0 if it has none.
  virtual uint32_t member_room(VipNumber number) const = 0;
  // Those of the live half, as many as the live word says. REQUIRES: member_room(number) is enough.
  virtual std::vector<Member> live_members(VipNumber number) const = 0;

  // Whether the number's table, and its members if it has any, are those that programs read and that
  // a next process will find.
  virtual bool in_place(VipNumber number) const = 0;
  virtual uint32_t nat_backends() const = 0;

  // ---- Backends.

  // REQUIRES: the id is free, and no flow, slot or running program names it. The state word is
  // stored last.
  virtual Result<void> write_backend(BackendId id, const rp_backend& value) = 0;
  // Every word of a backend in use that differs, after somebody else changed it (O6).
  virtual Result<void> restore_backend(BackendId id, const rp_backend& value) = 0;
  // Single words of a backend in use.
  virtual Result<void> set_backend_state(BackendId id, rp_backend_state state,
                                         uint32_t drain_until) = 0;
  // The mark RP_STATE_FLOWS_MOVE.
  virtual Result<void> set_flows_move(BackendId id, bool move) = 0;
  virtual Result<void> set_backend_scope(BackendId id, uint64_t scope_hash) = 0;
  virtual Result<void> set_backend_vip(BackendId id, VipNumber number) = 0;
  virtual Result<void> set_next_hop(BackendId id, uint64_t next_hop) = 0;

  // The word rp_flow_count::joined.
  virtual Result<void> join_count(CountIndex index, uint64_t joined) = 0;

  // ---- VIPs.

  // REQUIRES: no key names the number, and a grace period has passed since one did. Counters of the
  // number start at zero.
  virtual Result<void> write_vip_state(VipNumber number, const rp_vip_state& state) = 0;
  // Everything but the live word, word by word, while the VIP serves.
  virtual Result<void> set_vip_settings(VipNumber number, const rp_vip_state& state) = 0;
  // A new table, the same in both halves.
  virtual Result<void> create_table(VipNumber number, std::span<const uint16_t> slots) = 0;
  // A new inner map for members, the same in both halves, with room for so many. How many of them
  // programs read is what the live word says, as before. REQUIRES: room >= members.size().
  virtual Result<void> create_members(VipNumber number, std::span<const Member> members,
                                      uint32_t room) = 0;
  // Writes the spare half, slots and members, then flips the live word to it. REQUIRES: a grace
  // period has passed since the last flip; table_room(number) >= slots.size();
  // member_room(number) >= members.size().
  virtual Result<void> publish(VipNumber number, std::span<const uint16_t> slots,
                               std::span<const Member> members) = 0;
  virtual Result<void> announce_vip(const rp_vip_key& key, VipNumber number) = 0;
  virtual Result<void> withdraw_vip(const rp_vip_key& key) = 0;
  // REQUIRES: as write_vip_state(). The number is then free, its table and members gone.
  virtual Result<void> free_vip(VipNumber number) = 0;

  // ---- Switches.

  virtual Result<void> set_nat_backends(uint32_t count) = 0;
};

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_MAP_STORE_H_
