// SPDX-License-Identifier: Apache-2.0
// scenario-docs SCENARIOS DOCS: writes docs/scenarios.md and its plots afresh.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "simulate/page.h"

namespace rampart::simulate {
namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "scenario-docs: %s\n", error.text.c_str());
  return static_cast<int>(error.code);
}

int write_docs(const std::filesystem::path& scenarios, const std::filesystem::path& docs) {
  const auto texts = scenarios_in(scenarios);
  if (!texts) return fail(texts.error());
  const auto pages = scenario_pages(*texts);
  if (!pages) return fail(pages.error());
  std::filesystem::remove_all(docs / "scenarios");  // plots of scenarios that are gone
  std::filesystem::create_directories(docs / "scenarios");
  for (const auto& [path, content] : *pages) {
    std::ofstream file(docs / path, std::ios::trunc);
    file << content;
    file.close();
    if (!file) return fail({Code::kFailed, "cannot write " + (docs / path).string()});
  }
  return 0;
}

}  // namespace
}  // namespace rampart::simulate

int main(int argc, char* argv[]) {
  if (argc != 3) {
    std::fputs("usage: scenario-docs SCENARIOS DOCS\n", stderr);
    return 2;
  }
  return rampart::simulate::write_docs(argv[1], argv[2]);
}
