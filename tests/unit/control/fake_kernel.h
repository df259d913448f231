// SPDX-License-Identifier: Apache-2.0
// The kernel's maps as plain memory: a MapStore that records its writes, fails the one that a test
// names, and after every write holds the maps to the invariants of control/plan.h.
#ifndef RAMPART_TESTS_UNIT_CONTROL_FAKE_KERNEL_H_
#define RAMPART_TESTS_UNIT_CONTROL_FAKE_KERNEL_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "control/next_hops.h"
#include "control/wire.h"
#include "maps/grace.h"
#include "maps/map_store.h"
#include "rampart/members.h"
#include "rampart/slots.h"

namespace rampart::control {

// Grace periods that end when the test says so.
class FakeGrace final : public maps::GracePeriods {
 public:
  uint64_t ask() override { return ++asked_; }
  bool passed(uint64_t ticket) const override { return ticket <= ended_; }
  void end_all() { ended_ = asked_; }
  bool anything_pending() const { return ended_ < asked_; }

 private:
  uint64_t asked_ = 0;
  uint64_t ended_ = 0;
};

// Everything is resolved, out of port 0; one address out of port 1 after it moved.
class FakeHops final : public NextHops {
 public:
  std::optional<IpAddress> moved;

  uint64_t towards(const IpAddress& address, rp_forward) const override {
    const uint64_t port = address == moved ? 2 : 1;
    return port << RP_HOP_PORT_SHIFT | address.bytes().back();
  }
};

class FakeKernel final : public maps::MapStore {
 public:
  FakeKernel(uint32_t max_vips, uint32_t max_backends);

  std::vector<std::string> log;     // one line a write, in order
  std::vector<std::string> broken;  // invariants that did not hold after a write
  std::optional<size_t> fail_at;    // writes until one fails; it changes nothing
  std::map<uint32_t, rp_flow_count> flow_counts;
  void set_flows(uint32_t count_index, uint64_t opened, uint64_t closed) {
    flow_counts[count_index].opened = opened;
    flow_counts[count_index].closed = closed;
  }
  // Whose members programs no longer find, though they are still there, until they are made anew.
  std::set<VipNumber> displaced;

  size_t tables() const { return tables_.size(); }
  // As if the process had died between pinning a table, or members, and putting them in place.
  void lose_table(VipNumber number) { tables_.erase(number); }
  void lose_members(VipNumber number) { tables_.at(number).member_room = 0; }
  // The id was handed out this many times before.
  void set_incarnation(BackendId id, uint16_t incarnation) {
    backends_.at(raw(id)).state = uint32_t{incarnation} << RP_STATE_INCARNATION_SHIFT;
  }

  // What the flow table's sweep and the grace period allow, for I3 and I4.
  void end_grace();
  void end_sweep();

  uint32_t max_vips() const override { return static_cast<uint32_t>(states_.size()) - 1; }
  uint32_t max_backends() const override { return static_cast<uint32_t>(backends_.size()) - 1; }
  Result<std::vector<std::pair<rp_vip_key, VipNumber>>> vips() const override;
  rp_vip_state vip_state(VipNumber number) const override { return states_.at(raw(number)); }
  rp_backend backend(BackendId id) const override { return backends_.at(raw(id)); }
  rp_flow_count flow_count(CountIndex index) const override;
  Result<void> join_count(CountIndex index, uint64_t joined) override;
  uint32_t table_room(VipNumber number) const override;
  std::vector<uint16_t> live_slots(VipNumber number, uint32_t table_size) const override;

  uint32_t member_room(VipNumber number) const override;
  std::vector<maps::Member> live_members(VipNumber number) const override;
  bool in_place(VipNumber number) const override {
    return tables_.contains(number) && !displaced.contains(number);
  }
  uint32_t nat_backends() const override { return nat_backends_; }

  Result<void> write_backend(BackendId id, const rp_backend& value) override;
  Result<void> restore_backend(BackendId id, const rp_backend& value) override;
  Result<void> set_backend_state(BackendId id, rp_backend_state state,
                                 uint32_t drain_until) override;
  Result<void> set_flows_move(BackendId id, bool move) override;
  Result<void> set_backend_scope(BackendId id, uint64_t scope_hash) override;
  Result<void> set_backend_vip(BackendId id, VipNumber number) override;
  Result<void> set_next_hop(BackendId id, uint64_t next_hop) override;
  Result<void> write_vip_state(VipNumber number, const rp_vip_state& state) override;
  Result<void> set_vip_settings(VipNumber number, const rp_vip_state& state) override;
  Result<void> create_table(VipNumber number, std::span<const uint16_t> slots) override;
  Result<void> create_members(VipNumber number, std::span<const maps::Member> members,
                              uint32_t room) override;
  Result<void> publish(VipNumber number, std::span<const uint16_t> slots,
                       std::span<const maps::Member> members) override;
  Result<void> announce_vip(const rp_vip_key& key, VipNumber number) override;
  Result<void> withdraw_vip(const rp_vip_key& key) override;
  Result<void> free_vip(VipNumber number) override;
  Result<void> set_nat_backends(uint32_t count) override;

 private:
  struct Table {
    uint32_t room = 0;
    std::array<std::vector<uint16_t>, RP_HALVES> halves;
    uint32_t member_room = 0;
    std::array<std::vector<maps::Member>, RP_HALVES> members;
    bool former_half_in_use = false;  // until a grace period after the flip
    // It is least_conn's, or was until a grace period ago. A program reads the algorithm, then the live
    // word: so one that sees a VIP become least_conn's reads no half from before that.
    std::array<bool, RP_HALVES> members_read = {};
  };
  struct Freed {
    bool grace = false;
    bool sweep = false;
  };

  // Counts the write; an Error if it is the one to fail.
  Result<void> begin(const std::string& line);
  void check_invariants();
  void check_half(const VipAddress& vip, VipNumber number, uint32_t half);
  void check_members(const VipAddress& vip, VipNumber number, uint32_t half);
  // Whether an id that a VIP's slot or member names is its own and not free.
  bool may_be_named(const VipAddress& vip, VipNumber number, uint16_t id) const;
  // Programs read the members from now on, if the VIP is least_conn's.
  void note_algorithm(VipNumber number);
  void expect(bool holds, const std::string& what);

  uint32_t nat_backends_ = 0;
  std::vector<rp_vip_state> states_;
  std::vector<rp_backend> backends_;
  std::map<VipAddress, VipNumber> vips_;
  std::map<VipNumber, Table> tables_;
  std::map<BackendId, Freed> freed_;  // ids that may not be handed out yet
  struct Withdrawn {
    VipAddress address;
    bool grace = false;  // passed since
  };
  std::map<VipNumber, Withdrawn> withdrawn_;
};

}  // namespace rampart::control

#endif  // RAMPART_TESTS_UNIT_CONTROL_FAKE_KERNEL_H_
