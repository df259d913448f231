// SPDX-License-Identifier: Apache-2.0
// The scenarios of tests/scenarios: each is a test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "unit/simulate/played.h"

namespace rampart::simulate {
namespace {

using testing::IsEmpty;
using testing::Not;

std::vector<std::filesystem::path> scenario_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(RAMPART_SOURCE "/tests/scenarios")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class ScenarioFiles : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(ScenarioFiles, HoldWhatTheyExpect) {  // each file names its rules
  std::ifstream file(GetParam());
  const Parsed parsed = parse_scenario(std::string{std::istreambuf_iterator<char>(file), {}});
  ASSERT_THAT(lines_of(parsed.problems), IsEmpty());
  EXPECT_THAT(parsed.scenario.title, Not(IsEmpty()));
  EXPECT_THAT(parsed.scenario.rules, Not(IsEmpty()));
  EXPECT_THAT(lines_of(run_scenario(parsed.scenario, 0).failures), IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(Files, ScenarioFiles, testing::ValuesIn(scenario_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace rampart::simulate
