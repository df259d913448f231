// SPDX-License-Identifier: Apache-2.0
// What a person finds who looks at the pins with bpftool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "netns/stand.h"

namespace rampart::test {
namespace {

namespace fs = std::filesystem;

TEST_F(NetnsTest, BpftoolDumpsBackendsWithNamedFields) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  const std::string map = stand.daemon.maps() / "rp_backends";

  const std::string dump = must_run({"bpftool", "map", "dump", "pinned", map});
  for (const char* field : {"vip_port", "next_hop", "count_index", "state"}) {
    EXPECT_THAT(dump, ::testing::HasSubstr("\"" + std::string(field) + "\"")) << field;
  }
}

// `-o json` prints what the API gives.
TEST_F(NetnsTest, TheCommandLinesJsonIsTheApis) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  const auto names = [](const nlohmann::json& backends) {
    std::vector<std::string> found;
    for (const auto& backend : backends) found.push_back(backend.at("name"));
    return found;
  };
  const Finished printed = stand.daemon.cli({"backends", "-o", "json"});
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_EQ(names(nlohmann::json::parse(printed.out)), names(stand.daemon.get("/v1/backends")));
}

// The kernel cuts names at 15 characters; a pin named otherwise than its map would mislead.
TEST_F(NetnsTest, EveryPinnedMapHasTheNameOfItsPin) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});

  int maps = 0;
  for (const auto& entry : fs::directory_iterator(stand.daemon.maps())) {
    const std::string name = entry.path().filename();
    if (name.rfind("rp_", 0) != 0) continue;
    const auto shown = nlohmann::json::parse(
        must_run({"bpftool", "-j", "map", "show", "pinned", entry.path().string()}));
    EXPECT_EQ(shown.at("name"), name);
    EXPECT_LE(name.size(), 15u);
    ++maps;
  }
  EXPECT_GE(maps, 5);
}

}  // namespace
}  // namespace rampart::test
