// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "unit/engine/scenario_file.h"
#include "unit/engine/scenario_run.h"

namespace rampart::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::filesystem::path> scenario_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(RAMPART_SCENARIOS)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class ScenarioFiles : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(ScenarioFiles, HoldWhatTheyExpect) {  // each file names its rules
  std::ifstream file(GetParam());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Result<Scenario> scenario = parse_scenario(text);
  ASSERT_TRUE(scenario.ok()) << scenario.error().text;
  ASSERT_FALSE(scenario->moments.empty());
  EXPECT_THAT(run_scenario(*scenario), IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(Files, ScenarioFiles, testing::ValuesIn(scenario_files()),
                         [](const auto& file) { return file.param.stem().string(); });

TEST(Scenario, NamesTheLineAndWhatDidNotHold) {
  const auto scenario = parse_scenario(
      "pool a=100 window=10s floor=1% interval=1s\n"
      "\n"
      "at 0s add b=100 expect b=11 state=ramping a=100 state=pending c=1\n");
  ASSERT_TRUE(scenario.ok()) << scenario.error().text;
  EXPECT_THAT(run_scenario(*scenario),
              ElementsAre(HasSubstr("line 3: b shows 10, not 11"),
                          "line 3: a is mature, not pending", "line 3: c is not in the pool"));
}

TEST(Scenario, RefusesWhatItDoesNotUnderstand) {
  for (const char* text :
       {"pool a", "pool a=x window=10s", "pool a=1 window=10", "pool a=1 window=0s", "begin",
        "at 0s", "at soon add b=1", "at 0s join b=1", "at 0s add b", "at 0s set speed=1",
        "at 0s expect b", "at 0s expect state=ramping", "at 2s up a\nat 1s up a"}) {
    const auto scenario = parse_scenario(text);
    ASSERT_FALSE(scenario.ok()) << text;
    EXPECT_THAT(scenario.error().text, HasSubstr("line ")) << text;
  }
}

}  // namespace
}  // namespace rampart::engine
