// SPDX-License-Identifier: Apache-2.0
// Holds docs/ to the scenarios and to the program.
#include "simulate/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "simulate/settings.h"
#include "unit/simulate/played.h"

namespace rampart::simulate {
namespace {

const std::filesystem::path kDocs = RAMPART_SOURCE "/docs";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Mend with: ninja -C build/dev scenario-docs && build/dev/bin/scenario-docs tests/scenarios docs
TEST(ScenarioPage, IsWhatTheProgramWrites) {
  const auto texts = scenarios_in(RAMPART_SOURCE "/tests/scenarios");
  ASSERT_TRUE(texts.ok());
  const auto pages = scenario_pages(*texts);
  ASSERT_TRUE(pages.ok()) << pages.error().text;
  for (const auto& [path, content] : *pages) {
    EXPECT_TRUE(text_of(kDocs / path) == content) << "docs/" << path << " is stale";
  }
  std::set<std::string> plots;
  for (const auto& entry : std::filesystem::directory_iterator(kDocs / "scenarios")) {
    plots.insert("scenarios/" + entry.path().filename().string());
  }
  EXPECT_EQ(plots.size() + 1, pages->size()) << "a plot of a scenario that is gone";
}

TEST(ScenarioPage, NamesTheFileAndLineOfAMistake) {
  const auto pages = scenario_pages({{"fine", "pool a=1\n"}, {"bad", "pool a=1\nat 1s up b\n"}});
  ASSERT_FALSE(pages.ok());
  EXPECT_EQ(pages.error().text, "bad.txt:2: there is no node 'b' so far");
}

// Every fenced block of docs/simulate.md that begins like a scenario is one, and holds.
TEST(SimulatePage, ItsExamplesHold) {
  std::istringstream page(text_of(kDocs / "simulate.md"));
  int examples = 0;
  std::string block;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      if (inside && (block.starts_with("# ") || block.starts_with("pool"))) {
        ++examples;
        EXPECT_THAT(unmet_in(block), testing::IsEmpty()) << block;
      }
      inside = !inside;
      block.clear();
    } else if (inside) {
      block += line + "\n";
    }
  }
  EXPECT_GE(examples, 2);
}

// Its tables name every setting, and none that does not exist.
TEST(SimulatePage, NamesEverySetting) {
  std::istringstream page(text_of(kDocs / "simulate.md"));
  std::set<std::string> described;
  for (std::string line; std::getline(page, line);) {
    const size_t equals = line.find('=');
    if (!line.starts_with("| `") || equals == std::string::npos) continue;
    const std::string name = line.substr(3, equals - 3);
    if (is_setting(name)) described.insert(name);
  }
  EXPECT_EQ(described, setting_names());
}

}  // namespace
}  // namespace rampart::simulate
