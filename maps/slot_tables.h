// SPDX-License-Identifier: Apache-2.0
// The slot tables in the kernel: one inner map per VIP number, two halves each (rampart/slots.h).
#ifndef RAMPART_MAPS_SLOT_TABLES_H_
#define RAMPART_MAPS_SLOT_TABLES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "maps/inner_maps.h"
#include "rampart/slots.h"

namespace rampart::maps {

class SlotTables {
 public:
  // REQUIRES: `outer_fd` stays open for as long as this lives.
  SlotTables(int outer_fd, const std::string& folder, const InnerMapType& type);

  // Makes the inner map of `number` with room for `table_size` slots, `slots` in both halves, and
  // puts it into the outer map, in the place of a former one. Returns once no program reads the
  // former one: the kernel waits for a grace period.
  Result<void> create(VipNumber number, std::span<const uint16_t> slots);
  // Reads a half. REQUIRES: the table has been created or found by open_pins().
  std::vector<uint16_t> read(VipNumber number, uint32_t half, uint32_t table_size) const;
  // Overwrites a half. REQUIRES: no program reads it; room() >= slots.size().
  void write(VipNumber number, uint32_t half, std::span<const uint16_t> slots);
  // Slots that the inner map has room for; 0 if there is none.
  uint32_t room(VipNumber number) const;
  // Takes the inner map away. REQUIRES: no key names the number, and a grace period has passed.
  bool in_place(VipNumber number) const { return tables_.in_place(number); }
  Result<void> remove(VipNumber number) { return tables_.remove(number); }

  // Opens the inner maps that an earlier process pinned; room() is 0 where it did not get so far.
  Result<void> open_pins() { return tables_.open_pins(); }

 private:
  InnerMaps<rp_slot_block> tables_;
};

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_SLOT_TABLES_H_
