// SPDX-License-Identifier: Apache-2.0
#include "unit/control/fake_kernel.h"

#include "maps/backend_state.h"
#include "maps/live_word.h"

namespace rampart::control {
namespace {

using maps::state_of;

std::string text(BackendId id) {
  return "backend " + std::to_string(raw(id));
}
std::string text(VipNumber number) {
  return "vip " + std::to_string(raw(number));
}

}  // namespace

FakeKernel::FakeKernel(uint32_t max_vips, uint32_t max_backends)
    : states_(max_vips + 1), backends_(max_backends + 1) {}

Result<void> FakeKernel::begin(const std::string& line) {
  if (fail_at && (*fail_at)-- == 0) {
    fail_at.reset();
    return Error{Code::kFailed, line + ": made to fail"};
  }
  log.push_back(line);
  return {};
}

void FakeKernel::expect(bool holds, const std::string& what) {
  if (!holds) broken.push_back("after '" + (log.empty() ? "nothing" : log.back()) + "': " + what);
}

void FakeKernel::end_grace() {
  for (auto& [number, table] : tables_) {
    table.former_half_in_use = false;
    table.members_read = {};
    note_algorithm(number);
  }
  for (auto& [number, withdrawn] : withdrawn_) withdrawn.grace = true;
  for (auto& [id, freed] : freed_) freed.grace = true;
}

void FakeKernel::end_sweep() {
  for (auto& [id, freed] : freed_) freed.sweep = freed.grace;
}

bool FakeKernel::may_be_named(const VipAddress& vip, VipNumber number, uint16_t id) const {
  const rp_backend& backend = backends_.at(id);
  const bool own = state_of(backend) != RP_BACKEND_FREE && backend.vip == raw(number);
  return own && !maps::flows_move(backend) && key_of(backend).vip == vip;
}

void FakeKernel::check_members(const VipAddress& vip, VipNumber number, uint32_t half) {
  const Table& table = tables_.at(number);
  if (!table.members_read[half]) return;
  const maps::LiveWord live = maps::live_of(states_.at(raw(number)).live);
  const std::vector<maps::Member>& members = table.members[half];
  if (half == live.half) {
    expect(members.size() == live.members, text(number) + ": the live word counts others (I1)");
  }
  for (const maps::Member& member : members) {
    expect(
        may_be_named(vip, number, raw(member.id)),
        text(number) + " has a member that is free, another VIP's, or left by its flows (I2, I5)");
    expect(member.weight > 0, text(number) + " has a member without weight (L2)");
    expect(raw(member.count_index) == backends_.at(raw(member.id)).count_index,
           text(number) + " has a member with another's count (B2)");
  }
}

void FakeKernel::check_half(const VipAddress& vip, VipNumber number, uint32_t half) {
  const rp_vip_state& state = states_.at(raw(number));
  const std::vector<uint16_t>& slots = tables_.at(number).halves[half];
  check_members(vip, number, half);
  expect(slots.size() >= state.table_size, text(number) + ": half shorter than table_size (I1)");
  for (uint32_t slot = 0; slot < state.table_size && slot < slots.size(); ++slot) {
    if (slots[slot] == 0) continue;
    if (may_be_named(vip, number, slots[slot])) continue;
    expect(false, text(number) + " slot " + std::to_string(slot) + " names backend " +
                      std::to_string(slots[slot]) +
                      " that is free, another VIP's, or left by its flows (I2, I5)");
    return;
  }
}

void FakeKernel::check_invariants() {
  for (const auto& [vip, number] : vips_) {
    expect(states_.at(raw(number)).table_size != 0, text(number) + " announced without state (I1)");
    expect(tables_.contains(number), text(number) + " announced without table (I1)");
    if (!tables_.contains(number)) continue;
    const uint32_t half = states_.at(raw(number)).live & RP_LIVE_HALF;
    check_half(vip, number, half);
    if (tables_.at(number).former_half_in_use) check_half(vip, number, half ^ 1);
  }
  for (const auto& [number, withdrawn] : withdrawn_) {
    if (withdrawn.grace) continue;
    for (uint32_t half = 0; half < RP_HALVES; ++half) {
      const bool read = half == (states_.at(raw(number)).live & RP_LIVE_HALF) ||
                        tables_.at(number).former_half_in_use;
      if (read) check_half(withdrawn.address, number, half);
    }
  }
}

Result<std::vector<std::pair<rp_vip_key, VipNumber>>> FakeKernel::vips() const {
  std::vector<std::pair<rp_vip_key, VipNumber>> found;
  for (const auto& [vip, number] : vips_) found.emplace_back(to_wire(vip), number);
  return found;
}

rp_flow_count FakeKernel::flow_count(CountIndex index) const {
  const auto found = flow_counts.find(raw(index));
  return found == flow_counts.end() ? rp_flow_count{} : found->second;
}

Result<void> FakeKernel::join_count(CountIndex index, uint64_t joined) {
  if (auto failed = begin("join count " + std::to_string(raw(index))); !failed) return failed;
  flow_counts[raw(index)].joined = joined;
  return {};
}

uint32_t FakeKernel::table_room(VipNumber number) const {
  const auto found = tables_.find(number);
  return found == tables_.end() ? 0 : found->second.room;
}

std::vector<uint16_t> FakeKernel::live_slots(VipNumber number, uint32_t table_size) const {
  const uint32_t half = states_.at(raw(number)).live & RP_LIVE_HALF;
  std::vector<uint16_t> slots = tables_.at(number).halves[half];
  slots.resize(table_size);
  return slots;
}

uint32_t FakeKernel::member_room(VipNumber number) const {
  const auto found = tables_.find(number);
  return found == tables_.end() ? 0 : found->second.member_room;
}

std::vector<maps::Member> FakeKernel::live_members(VipNumber number) const {
  const auto found = tables_.find(number);
  if (found == tables_.end()) return {};
  return found->second.members[maps::live_of(states_.at(raw(number)).live).half];
}

void FakeKernel::note_algorithm(VipNumber number) {
  if (states_.at(raw(number)).algorithm != RP_LEAST_CONN) return;
  const auto table = tables_.find(number);
  expect(table != tables_.end(), text(number) + " became least_conn's without a table (I1)");
  if (table != tables_.end()) {
    table->second.members_read[maps::live_of(states_.at(raw(number)).live).half] = true;
  }
}

Result<void> FakeKernel::write_backend(BackendId id, const rp_backend& value) {
  if (auto failed = begin("write " + text(id)); !failed) return failed;
  expect(state_of(backends_.at(raw(id))) == RP_BACKEND_FREE, text(id) + " is in use (I3)");
  const auto freed = freed_.find(id);
  expect(freed == freed_.end() || freed->second.sweep,
         text(id) + " may still be named by a flow or a program (I3, B5)");
  const uint32_t former = maps::incarnation_of(backends_.at(raw(id)));
  const uint32_t next = former == UINT16_MAX ? 1 : former + 1;  // 0: never handed out
  expect(maps::incarnation_of(value) == next, text(id) + " incarnation (B5)");
  freed_.erase(id);
  backends_.at(raw(id)) = value;
  check_invariants();
  return {};
}

Result<void> FakeKernel::restore_backend(BackendId id, const rp_backend& value) {
  if (auto failed = begin("restore " + text(id)); !failed) return failed;
  backends_.at(raw(id)) = value;
  return {};
}

Result<void> FakeKernel::set_backend_state(BackendId id, rp_backend_state state,
                                           uint32_t drain_until) {
  constexpr const char* kNames[] = {"free", "serve", "drain"};
  if (auto failed = begin(kNames[state] + std::string(" ") + text(id)); !failed) return failed;
  rp_backend& backend = backends_.at(raw(id));
  backend.state = maps::with_state(backend.state, state);
  backend.drain_until = drain_until;
  if (state == RP_BACKEND_FREE) freed_[id] = Freed{};
  check_invariants();
  return {};
}

Result<void> FakeKernel::set_flows_move(BackendId id, bool move) {
  const std::string what = move ? "move the flows of " : "keep the flows of ";
  if (auto failed = begin(what + text(id)); !failed) return failed;
  rp_backend& backend = backends_.at(raw(id));
  backend.state = maps::with_flows_move(backend.state, move);
  check_invariants();
  return {};
}

Result<void> FakeKernel::set_backend_scope(BackendId id, uint64_t scope_hash) {
  if (auto failed = begin("rescope " + text(id)); !failed) return failed;
  backends_.at(raw(id)).scope_hash = scope_hash;
  return {};
}

Result<void> FakeKernel::set_backend_vip(BackendId id, VipNumber number) {
  if (auto failed = begin("renumber " + text(id)); !failed) return failed;
  backends_.at(raw(id)).vip = raw(number);
  return {};
}

Result<void> FakeKernel::set_next_hop(BackendId id, uint64_t next_hop) {
  if (auto failed = begin("next hop of " + text(id)); !failed) return failed;
  backends_.at(raw(id)).next_hop = next_hop;
  return {};
}

Result<void> FakeKernel::write_vip_state(VipNumber number, const rp_vip_state& state) {
  if (auto failed = begin("write " + text(number)); !failed) return failed;
  const auto withdrawn = withdrawn_.find(number);
  expect(withdrawn == withdrawn_.end() || withdrawn->second.grace,
         text(number) + " re-used early (I4)");
  for (const auto& [vip, named] : vips_) expect(named != number, text(number) + " is named (I4)");
  withdrawn_.erase(number);
  states_.at(raw(number)) = state;
  note_algorithm(number);
  return {};
}

Result<void> FakeKernel::set_vip_settings(VipNumber number, const rp_vip_state& state) {
  if (auto failed = begin("set " + text(number)); !failed) return failed;
  const __u64 live = states_.at(raw(number)).live;
  states_.at(raw(number)) = state;
  states_.at(raw(number)).live = live;
  note_algorithm(number);
  check_invariants();
  return {};
}

Result<void> FakeKernel::create_table(VipNumber number, std::span<const uint16_t> slots) {
  if (auto failed = begin("create table of " + text(number)); !failed) return failed;
  const std::vector<uint16_t> half(slots.begin(), slots.end());
  const uint32_t blocks = RP_SLOT_BLOCKS(static_cast<uint32_t>(slots.size())) / RP_HALVES;
  Table& table = tables_[number];
  table.room = blocks * RP_SLOTS_PER_BLOCK;
  table.halves = {half, half};
  table.former_half_in_use = false;
  check_invariants();
  return {};
}

Result<void> FakeKernel::create_members(VipNumber number, std::span<const maps::Member> members,
                                        uint32_t room) {
  if (auto failed = begin("create members of " + text(number)); !failed) return failed;
  Table& table = tables_[number];
  expect(room >= members.size(), text(number) + " has more members than room");
  table.member_room = room;
  table.members[0].assign(members.begin(), members.end());
  table.members[1] = table.members[0];
  check_invariants();
  displaced.erase(number);
  return {};
}

Result<void> FakeKernel::publish(VipNumber number, std::span<const uint16_t> slots,
                                 std::span<const maps::Member> members) {
  if (auto failed = begin("publish " + text(number)); !failed) return failed;
  Table& table = tables_.at(number);
  expect(!table.former_half_in_use, text(number) + " spare half written too early (I4)");
  expect(slots.size() <= table.room, text(number) + " table too small for its slots");
  expect(members.size() <= table.member_room, text(number) + " has more members than room");
  __u64& live = states_.at(raw(number)).live;
  const maps::LiveWord next = maps::live_of(live).next(members.size());
  table.halves[next.half].assign(slots.begin(), slots.end());
  table.members[next.half].assign(members.begin(), members.end());
  table.members_read[next.half] = table.members_read[next.half ^ 1];
  table.former_half_in_use = true;
  live = maps::word_of(next);
  check_invariants();
  return {};
}

Result<void> FakeKernel::announce_vip(const rp_vip_key& key, VipNumber number) {
  if (auto failed = begin("announce " + text(number)); !failed) return failed;
  const bool inserted = vips_.emplace(from_wire(key), number).second;
  expect(inserted, text(number) + ": a hash value was overwritten");
  check_invariants();
  return {};
}

Result<void> FakeKernel::withdraw_vip(const rp_vip_key& key) {
  const VipNumber number = vips_.at(from_wire(key));
  if (auto failed = begin("withdraw " + text(number)); !failed) return failed;
  vips_.erase(from_wire(key));
  withdrawn_[number] = Withdrawn{.address = from_wire(key)};
  check_invariants();
  return {};
}

Result<void> FakeKernel::free_vip(VipNumber number) {
  if (auto failed = begin("free " + text(number)); !failed) return failed;
  const auto withdrawn = withdrawn_.find(number);
  expect(withdrawn == withdrawn_.end() || withdrawn->second.grace,
         text(number) + " freed early (I4)");
  withdrawn_.erase(number);
  states_.at(raw(number)) = {};
  tables_.erase(number);
  return {};
}

Result<void> FakeKernel::set_nat_backends(uint32_t count) {
  if (auto failed = begin("nat backends " + std::to_string(count)); !failed) return failed;
  nat_backends_ = count;
  return {};
}

}  // namespace rampart::control
