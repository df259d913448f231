// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_USERSPACE_PROGRAM_OPTIONS_H_
#define RAMPART_USERSPACE_PROGRAM_OPTIONS_H_

#include <functional>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "control/config.h"

namespace rampart::program {

// What a program says of itself.
struct Program {
  const char* name;      // "rampartd"
  const char* what;      // "the daemon of the Rampart load balancer"
  bool attaches = true;  // it has --detach-on-exit
};

struct Options {
  std::string config_file = "/etc/rampart/rampart.yaml";
  bool detach_on_exit = false;
  std::string log_level = "info";
  log::Format log_format = log::Format::kText;
  // --help or --version: print this and end.
  std::optional<std::string> print_and_exit;
};

// Code::kUsage for what is not understood.
Result<Options> parse_options(const Program& program, int argc, const char* const argv[]);

// The configuration to start with; its problems go to standard error, its warnings to the log.
Result<control::Config> load_for_start(const Options& options);

// The whole of main: options, log, signals that must not end it, and the exit code of what `run` returns.
int run_main(const Program& program, int argc, const char* const argv[],
             const std::function<Result<void>(const Options&)>& run);

}  // namespace rampart::program

#endif  // RAMPART_USERSPACE_PROGRAM_OPTIONS_H_
