// SPDX-License-Identifier: Apache-2.0
#include "simulate/page.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "simulate/parse.h"
#include "simulate/plot.h"

namespace rampart::simulate {
namespace {

constexpr const char* kIntroduction =
    "# Scenarios\n"
    "\n"
    "What Rampart does when things happen to a pool, one section a timeline. Each is a file of\n"
    "[tests/scenarios](../tests/scenarios), and a test that holds what it expects; the rules are "
    "those of\n"
    "[behaviour.md](behaviour.md). [simulate.md](simulate.md) describes the form, and how to play "
    "your own.\n"
    "This page and its plots are made from the files by `scenario-docs` (see there); a test holds "
    "them to it.\n"
    "\n";

// "all_new" is "all new".
std::string heading_of(const std::string& name) {
  std::string heading = name;
  std::replace(heading.begin(), heading.end(), '_', ' ');
  return heading;
}

// As web pages of repositories make anchors of headings.
std::string anchor_of(const std::string& name) {
  std::string anchor = name;
  std::replace(anchor.begin(), anchor.end(), '_', '-');
  return anchor;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string section_of(const ScenarioText& file, const Scenario& scenario) {
  return "\n## " + heading_of(file.name) + "\n\n" + scenario.title +
         " Rules: " + joined(scenario.rules) + ".\n\n```\n" + file.text +
         "```\n\n![Weights, shares and moves: " + heading_of(file.name) + "](scenarios/" +
         file.name + ".svg)\n";
}

}  // namespace

Result<std::vector<ScenarioText>> scenarios_in(const std::filesystem::path& folder) {
  std::vector<ScenarioText> texts;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".txt") continue;
    std::ifstream file(entry.path());
    texts.push_back({entry.path().stem(), {std::istreambuf_iterator<char>(file), {}}});
  }
  if (error) return system_error("read " + folder.string(), error.value());
  std::sort(texts.begin(), texts.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return texts;
}

Result<std::map<std::string, std::string>> scenario_pages(const std::vector<ScenarioText>& texts) {
  std::map<std::string, std::string> pages;
  std::string contents = kIntroduction;
  std::string sections;
  for (const ScenarioText& file : texts) {
    const Parsed parsed = parse_scenario(file.text);
    if (!parsed.problems.empty()) {
      const Problem& first = parsed.problems.front();
      return Error{Code::kInvalidConfig,
                   file.name + ".txt:" + std::to_string(first.line) + ": " + first.text};
    }
    contents += "- [" + heading_of(file.name) + "](#" + anchor_of(file.name) +
                "): " + parsed.scenario.title + "\n";
    sections += section_of(file, parsed.scenario);
    pages["scenarios/" + file.name + ".svg"] = plot(parsed.scenario, 0);
  }
  pages["scenarios.md"] = contents + sections;
  return pages;
}

}  // namespace rampart::simulate
