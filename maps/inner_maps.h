// SPDX-License-Identifier: Apache-2.0
// The inner maps of an array of maps: one per VIP number, of any size, seen as memory.
//
// They are pinned beside the outer map (PREFIX_N): reading an inner map's descriptor out of the outer
// map needs CAP_SYS_ADMIN, opening a pin does not.
#ifndef RAMPART_MAPS_INNER_MAPS_H_
#define RAMPART_MAPS_INNER_MAPS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "maps/typed_map.h"

namespace rampart::maps {

// The BTF of the loaded object's inner map, so that bpftool prints maps made at run time by name.
struct InnerMapType {
  int btf_fd = 0;
  uint32_t key_type = 0;
  uint32_t value_type = 0;
};

// What does not depend on the blocks' type.
class InnerMapFiles {
 public:
  // REQUIRES: `outer_fd` stays open for as long as this lives.
  InnerMapFiles(int outer_fd, std::string folder, std::string prefix, InnerMapType type)
      : outer_fd_(outer_fd), folder_(std::move(folder)), prefix_(std::move(prefix)), type_(type) {}

  std::string name(VipNumber number) const { return prefix_ + std::to_string(raw(number)); }
  // A map that nothing names yet.
  Result<Fd> make(VipNumber number, uint32_t block_size, uint32_t blocks) const;
  // Pins it and puts it into the outer map, in the place of a former one. Returns once no program
  // reads the former one: the kernel waits for a grace period.
  Result<void> install(VipNumber number, const Fd& inner) const;
  // Takes it out of the outer map and unpins it.
  Result<void> remove(VipNumber number) const;
  // Is the map with this id in the outer map, and pinned? Id 0: is none? A pin that cannot be looked at
  // for want of descriptors or memory is taken to be it.
  bool in_place(VipNumber number, uint32_t map_id) const;

  struct Pinned {
    VipNumber number;
    Fd fd;
    uint32_t blocks;
    uint32_t id;
  };
  // The inner maps that an earlier process pinned. A pin that is not the map in use is skipped: the
  // process ended between pinning a map and putting it in place.
  Result<std::vector<Pinned>> pinned() const;

 private:
  std::string pin_path(VipNumber number) const { return folder_ + "/" + name(number); }
  // The id of what is in the outer map; 0 if nothing is.
  uint32_t id_in_use(VipNumber number) const;

  int outer_fd_;
  std::string folder_;
  std::string prefix_;
  InnerMapType type_;
};

template <MapBytes Block>
class InnerMaps {
 public:
  explicit InnerMaps(InnerMapFiles files) : files_(std::move(files)) {}

  // Makes the inner map of `number`, has `fill` write it, and puts it in place. If that fails, the
  // former one stays.
  template <typename Fill>
  Result<void> create(VipNumber number, uint32_t blocks, Fill fill) {
    auto fd = files_.make(number, sizeof(Block), blocks);
    if (!fd) return fd.error();
    auto map = MappedArray<Block>::map(*fd, blocks);
    if (!map) return map.within(files_.name(number));
    fill(*map);
    if (auto installed = files_.install(number, *fd); !installed) return installed;
    maps_.erase(number);
    maps_.emplace(number, Inner{std::move(*map), map_id(fd->get())});
    return {};
  }
  // REQUIRES: blocks(number) > 0.
  MappedArray<Block>& at(VipNumber number) { return maps_.at(number).map; }
  const MappedArray<Block>& at(VipNumber number) const { return maps_.at(number).map; }
  // Whether what at() shows, or nothing, is what programs read and a next process finds.
  bool in_place(VipNumber number) const {
    const auto found = maps_.find(number);
    return files_.in_place(number, found == maps_.end() ? 0 : found->second.id);
  }
  // Its blocks; 0 if there is none.
  uint32_t blocks(VipNumber number) const {
    const auto found = maps_.find(number);
    return found == maps_.end() ? 0 : found->second.map.size();
  }
  // REQUIRES: no key names the number, and a grace period has passed.
  Result<void> remove(VipNumber number) {
    if (auto gone = files_.remove(number); !gone) return gone;
    maps_.erase(number);
    return {};
  }
  // Opens what an earlier process pinned.
  Result<void> open_pins() {
    auto pinned = files_.pinned();
    if (!pinned) return pinned.error();
    for (const auto& [number, fd, blocks, id] : *pinned) {
      auto map = MappedArray<Block>::map(fd, blocks);
      if (!map) return map.within(files_.name(number));
      maps_.emplace(number, Inner{std::move(*map), id});
    }
    return {};
  }

 private:
  struct Inner {
    MappedArray<Block> map;
    uint32_t id;
  };

  InnerMapFiles files_;
  std::map<VipNumber, Inner> maps_;
};

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_INNER_MAPS_H_
