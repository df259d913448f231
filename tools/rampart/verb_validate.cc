// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "control/config.h"
#include "rampart/command.h"

namespace rampart::cli {
namespace {

void print_json(const control::ParseResult& parsed) {
  nlohmann::json problems = nlohmann::json::array();
  for (const control::Problem& one : parsed.problems) {
    problems.push_back(
        {{"line", one.line}, {"column", one.column}, {"path", one.path}, {"text", one.text}});
  }
  const auto replace = nlohmann::json::error_handler_t::replace;
  std::puts(problems.dump(2, ' ', false, replace).c_str());
}

void print_text(const control::ParseResult& parsed, const std::string& file) {
  for (const control::Problem& one : parsed.problems) {
    std::puts(control::to_string(one, file).c_str());
  }
  for (const control::Problem& one : parsed.warnings) {
    std::fprintf(stderr, "rampart: warning: %s\n", control::to_string(one, file).c_str());
  }
  if (!parsed.problems.empty()) return;
  size_t nodes = 0;
  for (const auto& upstream : parsed.config.upstreams) nodes += upstream.nodes.size();
  std::printf("%s: valid: VIPs %zu, upstreams %zu, nodes %zu\n", file.c_str(),
              parsed.config.vips.size(), parsed.config.upstreams.size(), nodes);
}

}  // namespace

int run_validate(const Command& command) {
  if (command.arguments.size() != 1) return fail(usage(command));
  const std::string& file = command.arguments.front();
  const control::ParseResult parsed = control::load_config(file);
  if (command.json) {
    print_json(parsed);
  } else {
    print_text(parsed, file);
  }
  return parsed.problems.empty() ? 0 : static_cast<int>(Code::kInvalidConfig);
}

}  // namespace rampart::cli
