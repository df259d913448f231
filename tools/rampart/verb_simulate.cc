// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <cerrno>
#include <cstdio>

#include "base/fd.h"
#include "base/file.h"
#include "rampart/command.h"
#include "rampart/table.h"
#include "simulate/parse.h"
#include "simulate/plot.h"
#include "simulate/run.h"
#include "simulate/tabulate.h"
#include "simulate/to_json.h"
#include "simulate/write_file.h"

namespace rampart::cli {
namespace {

using namespace rampart::simulate;

constexpr size_t kMostBytes = size_t{4} << 20;

// A pipe will do too: simulate <(sed … joins.txt).
Result<std::string> text_of(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_error(path + ": cannot be opened", errno, Code::kInvalidConfig);
  auto text = read_until_end(file.get(), kMostBytes);
  if (!text) return Error{Code::kInvalidConfig, path + ": " + text.error().text};
  if (text->size() <= kMostBytes) return text;
  return Error{Code::kInvalidConfig, path + ": is longer than 4 MiB: no scenario is"};
}

void print_table(const Run& run, Detail detail) {
  const Tabulation tabulation = tabulate(run, detail);
  Table table(tabulation.headings);
  for (const auto& row : tabulation.rows) table.add(row);
  table.print();
}

// "rampart: FILE:LINE: TEXT", one a line; the last one's exit code.
template <typename Found>
int report(const std::string& file, const std::vector<Found>& list, Code code) {
  int exit_code = 0;
  for (const Found& one : list) {
    exit_code = fail({code, file + ":" + std::to_string(one.line) + ": " + one.text});
  }
  return exit_code;
}

}  // namespace

int run_simulate(const Command& command) {
  if (command.arguments.size() != 1) return fail(usage(command));
  const std::string& file = command.arguments.front();
  const auto text = text_of(file);
  if (!text) return fail(text.error());
  const Parsed parsed = parse_scenario(*text);
  if (!parsed.problems.empty()) return report(file, parsed.problems, Code::kInvalidConfig);

  const uint64_t seed = command.seed.value_or(0);
  if (command.plot) {  // plays it for itself
    const auto written = write_file(*command.plot, plot(parsed.scenario, seed));
    if (!written) return fail(written.error());
  }
  const Run run = run_scenario(parsed.scenario, seed);
  if (command.json) {
    write_json(parsed.scenario, run, seed,
               [](const std::string& piece) { std::fputs(piece.c_str(), stdout); });
  } else {
    print_table(run, command.all ? Detail::kAll : Detail::kSome);
  }
  std::fflush(stdout);  // what follows stands below it, where both go to one place
  return report(file, run.failures, Code::kFailed);
}

}  // namespace rampart::cli
