// SPDX-License-Identifier: Apache-2.0
// Holds the table of maps/README.md to the compiled object: it is opened, not loaded, so this needs no
// privilege.
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rampart.skel.h"
#include "rampart/config.h"
#include "rampart/flows.h"

namespace rampart {
namespace {

using Cells = std::vector<std::string>;
enum Column { kMap, kType, kKey, kValue, kBytes, kSize };

std::string trimmed(std::string text) {
  std::erase(text, '`');
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// The rows of the page's table by the map they are about.
std::map<std::string, Cells> table_of_page() {
  std::map<std::string, Cells> rows;
  std::ifstream page(RAMPART_MAPS_README);
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `rp_")) continue;
    Cells cells;
    for (size_t at = 1; at < line.size();) {
      const size_t end = line.find('|', at);
      cells.push_back(trimmed(line.substr(at, end - at)));
      at = end == std::string::npos ? line.size() : end + 1;
    }
    rows.emplace(cells[kMap], cells);
  }
  return rows;
}

class MapsPage : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(skeleton_, nullptr);
    bpf_map* map = nullptr;
    bpf_object__for_each_map(map, skeleton_->obj) {
      if (!bpf_map__is_internal(map)) maps_.emplace(bpf_map__name(map), map);
    }
  }
  std::string type_name(__u32 id) const {
    const btf* types = bpf_object__btf(skeleton_->obj);
    return btf__name_by_offset(types, btf__type_by_id(types, id)->name_off);
  }

  std::unique_ptr<rampart_bpf, void (*)(rampart_bpf*)> skeleton_{rampart_bpf__open(),
                                                                 rampart_bpf__destroy};
  std::map<std::string, bpf_map*> maps_;
  const std::map<std::string, Cells> rows_ = table_of_page();
};

TEST_F(MapsPage, ListsEveryMapOfTheObjectAndNoOther) {
  for (const auto& [name, map] : maps_) EXPECT_TRUE(rows_.contains(name)) << name;
  for (const auto& [name, cells] : rows_) EXPECT_TRUE(maps_.contains(name)) << name;
}

TEST_F(MapsPage, StatesTypesAndBytes) {
  for (const auto& [name, cells] : rows_) {
    const bpf_map* map = maps_.at(name);
    const std::string type = libbpf_bpf_map_type_str(bpf_map__type(map));
    std::string stated = cells[kType];
    std::transform(stated.begin(), stated.end(), stated.begin(), ::tolower);
    EXPECT_EQ(stated, type) << name;
    EXPECT_EQ(cells[kBytes], std::to_string(bpf_map__key_size(map) + bpf_map__value_size(map)))
        << name;
    if (cells[kKey].starts_with("rp_")) {
      EXPECT_EQ(cells[kKey], type_name(bpf_map__btf_key_type_id(map))) << name;
    }
    if (cells[kValue].starts_with("rp_")) {
      EXPECT_EQ(cells[kValue], type_name(bpf_map__btf_value_type_id(map))) << name;
    }
  }
}

// The object's sizes are those of the default configuration.
TEST_F(MapsPage, StatesSizes) {
  const std::map<std::string, uint32_t> kDefaults = {
      {"V", 512},
      {"V+1", 513},
      {"B+1", 4097},
      {"K", RP_FLOW_BUCKETS(1048576)},
      {"4K", RP_FLOW_BUCKETS(1048576) * RP_BUCKET_FLOWS}};
  for (const auto& [name, cells] : rows_) {
    const auto symbol = kDefaults.find(cells[kSize]);
    const uint32_t stated = symbol != kDefaults.end()
                                ? symbol->second
                                : static_cast<uint32_t>(std::stoul(cells[kSize]));
    EXPECT_EQ(stated, bpf_map__max_entries(maps_.at(name))) << name;
  }
}

// bpftool and the kernel cut longer names off.
TEST_F(MapsPage, NamesFitIntoTheKernel) {
  for (const auto& [name, map] : maps_) EXPECT_LE(name.size(), 15u) << name;
}

}  // namespace
}  // namespace rampart
