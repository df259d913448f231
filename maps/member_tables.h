// SPDX-License-Identifier: Apache-2.0
// The members of least_conn VIPs in the kernel: one inner map per VIP number, two halves each
// (rampart/members.h).
#ifndef RAMPART_MAPS_MEMBER_TABLES_H_
#define RAMPART_MAPS_MEMBER_TABLES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "maps/inner_maps.h"
#include "maps/member.h"
#include "rampart/members.h"

namespace rampart::maps {

class MemberTables {
 public:
  // REQUIRES: `outer_fd` stays open for as long as this lives.
  MemberTables(int outer_fd, const std::string& folder, const InnerMapType& type);

  // Makes the inner map of `number` with room for so many, `members` in both halves, and puts it into
  // the outer map, in the place of a former one. Returns once no program reads the former one.
  // REQUIRES: room >= members.size().
  Result<void> create(VipNumber number, std::span<const Member> members, uint32_t room);
  // Reads a half. REQUIRES: room() >= count.
  std::vector<Member> read(VipNumber number, uint32_t half, uint32_t count) const;
  // Overwrites a half. REQUIRES: no program reads it; room() >= members.size().
  void write(VipNumber number, uint32_t half, std::span<const Member> members);
  // Members that the inner map has room for; 0 if there is none.
  uint32_t room(VipNumber number) const;
  // Takes the inner map away. REQUIRES: no key names the number, and a grace period has passed.
  bool in_place(VipNumber number) const { return tables_.in_place(number); }
  Result<void> remove(VipNumber number) { return tables_.remove(number); }

  // Opens the inner maps that an earlier process pinned; room() is 0 where it did not get so far.
  Result<void> open_pins() { return tables_.open_pins(); }

 private:
  InnerMaps<rp_member_block> tables_;
};

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_MEMBER_TABLES_H_
