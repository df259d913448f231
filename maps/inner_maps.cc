// SPDX-License-Identifier: Apache-2.0
#include "maps/inner_maps.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/whole_number.h"

namespace rampart::maps {
namespace {

// N of PREFIX_N.
std::optional<uint32_t> number_in(const std::string& name, const std::string& prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  return whole_number<uint32_t>(std::string_view(name).substr(prefix.size()));
}

// Says nothing of the pin: what cannot be looked at is not called missing.
bool cannot_open_anything(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM;
}

}  // namespace

Result<Fd> InnerMapFiles::make(VipNumber number, uint32_t block_size, uint32_t blocks) const {
  LIBBPF_OPTS(bpf_map_create_opts, options, .btf_fd = static_cast<__u32>(type_.btf_fd),
              .btf_key_type_id = type_.key_type, .btf_value_type_id = type_.value_type,
              .map_flags = BPF_F_MMAPABLE | BPF_F_INNER_MAP);
  Fd fd(bpf_map_create(BPF_MAP_TYPE_ARRAY, name(number).c_str(), sizeof(uint32_t), block_size,
                       blocks, &options));
  if (!fd) return system_error("create " + name(number), errno);
  return fd;
}

Result<void> InnerMapFiles::install(VipNumber number, const Fd& inner) const {
  const std::string path = pin_path(number);
  unlink(path.c_str());
  if (bpf_obj_pin(inner.get(), path.c_str()) != 0) return system_error("pin " + path, errno);
  const uint32_t key = raw(number);
  const int inner_fd = inner.get();
  if (bpf_map_update_elem(outer_fd_, &key, &inner_fd, BPF_ANY) != 0) {
    return system_error("put " + name(number) + " in place", errno);
  }
  return {};
}

Result<void> InnerMapFiles::remove(VipNumber number) const {
  const uint32_t key = raw(number);
  if (bpf_map_delete_elem(outer_fd_, &key) != 0 && errno != ENOENT) {
    return system_error("take " + name(number) + " away", errno);
  }
  const std::string path = pin_path(number);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return system_error("unpin " + path, errno);
  return {};
}

uint32_t InnerMapFiles::id_in_use(VipNumber number) const {
  const uint32_t key = raw(number);
  uint32_t id = 0;
  return bpf_map_lookup_elem(outer_fd_, &key, &id) == 0 ? id : 0;
}

bool InnerMapFiles::in_place(VipNumber number, uint32_t id) const {
  if (id_in_use(number) != id) return false;
  if (id == 0) return true;
  const Fd pin(bpf_obj_get(pin_path(number).c_str()));
  if (!pin) return cannot_open_anything(errno);
  return map_id(pin.get()) == id;
}

Result<std::vector<InnerMapFiles::Pinned>> InnerMapFiles::pinned() const {
  std::vector<Pinned> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const auto number = number_in(entry.path().filename(), prefix_);
    if (!number) continue;
    Fd fd(bpf_obj_get(entry.path().c_str()));
    if (!fd) return system_error("open " + entry.path().string(), errno);
    bpf_map_info info = {};
    uint32_t length = sizeof info;
    if (bpf_obj_get_info_by_fd(fd.get(), &info, &length) != 0) {
      return system_error("inspect " + entry.path().string(), errno);
    }
    if (id_in_use(VipNumber{*number}) != info.id) continue;
    found.push_back({VipNumber{*number}, std::move(fd), info.max_entries, info.id});
  }
  if (error) return Error{Code::kFailed, "list " + folder_ + ": " + error.message()};
  return found;
}

}  // namespace rampart::maps
