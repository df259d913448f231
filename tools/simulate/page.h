// SPDX-License-Identifier: Apache-2.0
// The page of scenarios, docs/scenarios.md, and its plots: made from the files, so that the page
// says what the tests hold.
#ifndef RAMPART_TOOLS_SIMULATE_PAGE_H_
#define RAMPART_TOOLS_SIMULATE_PAGE_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace rampart::simulate {

struct ScenarioText {
  std::string name;  // of the file, without its suffix
  std::string text;
};

// The *.txt of a folder, by name.
Result<std::vector<ScenarioText>> scenarios_in(const std::filesystem::path& folder);

// Everything that docs/ holds of them, by path below docs/: the page and a plot for each, drawn with
// seed 0. A scenario that cannot be read is an error.
Result<std::map<std::string, std::string>> scenario_pages(const std::vector<ScenarioText>& texts);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_PAGE_H_
