// SPDX-License-Identifier: Apache-2.0
// Hundreds of malformed files, each made by one mistake, before the command line and before a daemon
// that serves.
#include "support/malformed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

#include "netns/stand.h"
#include "support/lines.h"
#include "support/temp_folder.h"

namespace rampart::test {
namespace {

constexpr int kInvalidConfig = 3;

// "FILE:LINE:COL: path: what" with a place that the file has.
void expect_places(const std::string& printed, const std::string& file, const Lines& lines) {
  static const std::regex kForm(R"(:([0-9]+):([0-9]+): (\S.*): \S.*)");
  const Lines problems(printed);
  ASSERT_FALSE(printed.empty());
  for (int i = 1; problems.have(i + 1, 1); ++i) {  // the last one is ended
    const std::string line(problems.at(i));
    ASSERT_EQ(line.rfind(file, 0), 0u) << line;
    const std::string rest = line.substr(file.size());
    std::smatch part;
    ASSERT_TRUE(std::regex_match(rest, part, kForm)) << line;
    EXPECT_TRUE(lines.have(std::stoi(part[1]), std::stoi(part[2]))) << line;
  }
}

// C1, C2, C6
TEST(Validate, RefusesEveryMalformedFileWithPlaces) {
  const TempFolder folder;
  const std::string file = folder.path() / "file.yaml";
  const std::vector<Malformed> all = fifth_of_malformed_configurations();
  ASSERT_GE(all.size(), 300u);
  for (const Malformed& one : all) {
    SCOPED_TRACE(one.mistake);
    std::ofstream(file) << one.text;
    const Finished done = run({program("rampart"), "validate", file});
    ASSERT_EQ(done.exit_code, kInvalidConfig) << done.out << done.err;
    expect_places(done.out, file, Lines(one.text));
  }
}

// What decides about packets: everything but flows, counters and what programs keep for themselves.
std::string what_is_served(const Daemon& daemon) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(daemon.maps())) {
    const std::string name = entry.path().filename();
    const bool inner = name.rfind("rp_slots", 0) == 0 || name.rfind("rp_members", 0) == 0;
    const bool outer = name == "rp_vips" || name == "rp_vip_state" || name == "rp_backends" ||
                       name == "rp_ports" || name == "rp_runtime";
    if (inner || outer) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const std::string& file : files) {
    all += file + "\n" + must_run({"bpftool", "-j", "map", "dump", "pinned", file}) + "\n";
  }
  return all;
}

// C3
TEST_F(NetnsTest, NoMalformedFileChangesAMapOrFailsARequest) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  const std::vector<Malformed> all = fifth_of_malformed_configurations();
  ASSERT_GE(all.size(), 300u);
  const std::string before = what_is_served(stand.daemon);

  Traffic traffic(stand.bed.client(), stand.ask());
  for (const Malformed& one : all) {
    SCOPED_TRACE(one.mistake);
    stand.daemon.write_text(one.text);
    const Finished done = stand.daemon.cli({"reload"});
    ASSERT_EQ(done.exit_code, kInvalidConfig) << done.out << done.err;
    EXPECT_THAT(done.err, ::testing::HasSubstr(stand.daemon.config_file() + ":"));
  }
  EXPECT_TRUE(traffic.wait_for(100));
  EXPECT_EQ(traffic.stop().failed, 0u);

  EXPECT_TRUE(what_is_served(stand.daemon) == before);
  EXPECT_EQ(stand.daemon.get("/v1/status").at("last_reload").at("refused"), all.size());
  stand.daemon.write(stand.config_of_first(1));
  EXPECT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  EXPECT_FALSE(what_is_served(stand.daemon) == before);
}

}  // namespace
}  // namespace rampart::test
