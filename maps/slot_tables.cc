// SPDX-License-Identifier: Apache-2.0
#include "maps/slot_tables.h"

#include <algorithm>
#include <cstring>

namespace rampart::maps {
namespace {

void write_half(MappedArray<rp_slot_block>& table, uint32_t half, std::span<const uint16_t> slots) {
  for (size_t slot = 0; slot < slots.size(); slot += RP_SLOTS_PER_BLOCK) {
    rp_slot_block& block = table.at(RP_SLOT_BLOCK(static_cast<uint32_t>(slot), half));
    const size_t count = std::min<size_t>(RP_SLOTS_PER_BLOCK, slots.size() - slot);
    std::memcpy(block.backend, &slots[slot], count * sizeof(uint16_t));
  }
}

}  // namespace

SlotTables::SlotTables(int outer_fd, const std::string& folder, const InnerMapType& type)
    : tables_(InnerMapFiles(outer_fd, folder, "rp_slots_", type)) {}

Result<void> SlotTables::create(VipNumber number, std::span<const uint16_t> slots) {
  const uint32_t blocks = RP_SLOT_BLOCKS(static_cast<uint32_t>(slots.size()));
  return tables_.create(number, blocks, [&](MappedArray<rp_slot_block>& table) {
    for (uint32_t half = 0; half < RP_HALVES; ++half) write_half(table, half, slots);
  });
}

std::vector<uint16_t> SlotTables::read(VipNumber number, uint32_t half, uint32_t table_size) const {
  const MappedArray<rp_slot_block>& table = tables_.at(number);
  std::vector<uint16_t> slots(table_size);
  for (uint32_t slot = 0; slot < table_size; slot += RP_SLOTS_PER_BLOCK) {
    const rp_slot_block& block = table.at(RP_SLOT_BLOCK(slot, half));
    const uint32_t count = std::min<uint32_t>(RP_SLOTS_PER_BLOCK, table_size - slot);
    std::memcpy(&slots[slot], block.backend, count * sizeof(uint16_t));
  }
  return slots;
}

void SlotTables::write(VipNumber number, uint32_t half, std::span<const uint16_t> slots) {
  write_half(tables_.at(number), half, slots);
}

uint32_t SlotTables::room(VipNumber number) const {
  return tables_.blocks(number) / RP_HALVES * RP_SLOTS_PER_BLOCK;
}

}  // namespace rampart::maps
