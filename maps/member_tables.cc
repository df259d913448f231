// SPDX-License-Identifier: Apache-2.0
#include "maps/member_tables.h"

#include "base/check.h"

namespace rampart::maps {
namespace {

// The last block of a half is zero behind the last member; those after it are not read.
void write_half(MappedArray<rp_member_block>& table, uint32_t half,
                std::span<const Member> members) {
  for (size_t first = 0; first < members.size(); first += RP_MEMBERS_PER_BLOCK) {
    rp_member_block block = {};
    for (size_t i = 0; i < RP_MEMBERS_PER_BLOCK && first + i < members.size(); ++i) {
      const Member& member = members[first + i];
      RP_CHECK(raw(member.count_index) <= UINT16_MAX);
      block.backend[i] = raw(member.id);
      block.count_index[i] = static_cast<__u16>(raw(member.count_index));
      block.weight[i] = member.weight;
    }
    table.at(RP_MEMBER_BLOCK(static_cast<uint32_t>(first), half)) = block;
  }
}

}  // namespace

MemberTables::MemberTables(int outer_fd, const std::string& folder, const InnerMapType& type)
    : tables_(InnerMapFiles(outer_fd, folder, "rp_members_", type)) {}

Result<void> MemberTables::create(VipNumber number, std::span<const Member> members,
                                  uint32_t room) {
  return tables_.create(number, RP_MEMBER_BLOCKS(room), [&](MappedArray<rp_member_block>& table) {
    for (uint32_t half = 0; half < RP_HALVES; ++half) write_half(table, half, members);
  });
}

std::vector<Member> MemberTables::read(VipNumber number, uint32_t half, uint32_t count) const {
  std::vector<Member> members;
  for (uint32_t position = 0; position < count; ++position) {
    const rp_member_block& block = tables_.at(number).at(RP_MEMBER_BLOCK(position, half));
    const uint32_t place = position % RP_MEMBERS_PER_BLOCK;
    members.push_back({.id = static_cast<BackendId>(block.backend[place]),
                       .count_index = CountIndex{block.count_index[place]},
                       .weight = block.weight[place]});
  }
  return members;
}

void MemberTables::write(VipNumber number, uint32_t half, std::span<const Member> members) {
  if (!members.empty()) write_half(tables_.at(number), half, members);
}

uint32_t MemberTables::room(VipNumber number) const {
  return tables_.blocks(number) / RP_HALVES * RP_MEMBERS_PER_BLOCK;
}

}  // namespace rampart::maps
