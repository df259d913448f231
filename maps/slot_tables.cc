// SPDX-License-Identifier: Apache-2.0
#include "maps/slot_tables.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace rampart::maps {
namespace {
constexpr std::string_view kPinPrefix = "rp_slots_";
}  // namespace

SlotTables::SlotTables(int outer_fd, std::string folder, SlotBlockType type)
    : outer_fd_(outer_fd), folder_(std::move(folder)), type_(type) {}

std::string SlotTables::pin_path(VipNumber number) const {
  return folder_ + "/" + std::string(kPinPrefix) + std::to_string(raw(number));
}

Result<void> SlotTables::create(VipNumber number, std::span<const uint16_t> slots) {
  const std::string path = pin_path(number);
  const std::string name = std::string(kPinPrefix) + std::to_string(raw(number));
  LIBBPF_OPTS(bpf_map_create_opts, options, .btf_fd = static_cast<__u32>(type_.btf_fd),
              .btf_key_type_id = type_.key_type, .btf_value_type_id = type_.value_type,
              .map_flags = BPF_F_MMAPABLE | BPF_F_INNER_MAP);
  const uint32_t blocks = RP_SLOT_BLOCKS(static_cast<uint32_t>(slots.size()));
  Fd fd(bpf_map_create(BPF_MAP_TYPE_ARRAY, name.c_str(), sizeof(uint32_t), sizeof(rp_slot_block),
                       blocks, &options));
  if (!fd) return system_error("create " + name, errno);
  const int inner_fd = fd.get();  // open until both are done: pinned, and in the outer map
  auto table = MappedArray<rp_slot_block>::map(fd, blocks);
  if (!table) return table.within(name);
  tables_.erase(number);
  tables_.emplace(number, std::move(*table));
  for (uint32_t half = 0; half < RP_HALVES; ++half) write(number, half, slots);

  unlink(path.c_str());
  if (bpf_obj_pin(inner_fd, path.c_str()) != 0) return system_error("pin " + path, errno);
  const uint32_t key = raw(number);
  if (bpf_map_update_elem(outer_fd_, &key, &inner_fd, BPF_ANY) != 0) {
    return system_error("put " + name + " into rp_slots", errno);
  }
  return {};
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
  MappedArray<rp_slot_block>& table = tables_.at(number);
  for (size_t slot = 0; slot < slots.size(); slot += RP_SLOTS_PER_BLOCK) {
    rp_slot_block& block = table.at(RP_SLOT_BLOCK(static_cast<uint32_t>(slot), half));
    const size_t count = std::min<size_t>(RP_SLOTS_PER_BLOCK, slots.size() - slot);
    std::memcpy(block.backend, &slots[slot], count * sizeof(uint16_t));
  }
}

uint32_t SlotTables::room(VipNumber number) const {
  const auto found = tables_.find(number);
  if (found == tables_.end()) return 0;
  return found->second.size() / RP_HALVES * RP_SLOTS_PER_BLOCK;
}

Result<void> SlotTables::remove(VipNumber number) {
  const uint32_t key = raw(number);
  if (bpf_map_delete_elem(outer_fd_, &key) != 0 && errno != ENOENT) {
    return system_error("take the table out of rp_slots", errno);
  }
  tables_.erase(number);
  const std::string path = pin_path(number);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return system_error("unpin " + path, errno);
  return {};
}

Result<void> SlotTables::open_pins() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kPinPrefix)) continue;
    uint32_t number = 0;
    const char* digits = name.data() + kPinPrefix.size();
    const auto [end, bad] = std::from_chars(digits, name.data() + name.size(), number);
    if (bad != std::errc() || end != name.data() + name.size()) continue;
    Fd fd(bpf_obj_get(entry.path().c_str()));
    if (!fd) return system_error("open " + entry.path().string(), errno);
    bpf_map_info info = {};
    uint32_t length = sizeof info;
    if (bpf_obj_get_info_by_fd(fd.get(), &info, &length) != 0) {
      return system_error("inspect " + entry.path().string(), errno);
    }
    uint32_t id_in_use = 0;
    const bool in_use = bpf_map_lookup_elem(outer_fd_, &number, &id_in_use) == 0;
    if (!in_use || id_in_use != info.id) continue;
    auto table = MappedArray<rp_slot_block>::map(fd, info.max_entries);
    if (!table) return table.within(name);
    tables_.emplace(VipNumber{number}, std::move(*table));
  }
  if (error) return Error{Code::kFailed, "list " + folder_ + ": " + error.message()};
  return {};
}

}  // namespace rampart::maps
