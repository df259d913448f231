// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_USERSPACE_DAEMON_OPTIONS_H_
#define RAMPART_USERSPACE_DAEMON_OPTIONS_H_

#include <optional>
#include <string>

#include "base/log.h"
#include "base/result.h"

namespace rampart::daemon {

struct Options {
  std::string config_file = "/etc/rampart/rampart.yaml";
  bool detach_on_exit = false;
  std::string log_level = "info";
  log::Format log_format = log::Format::kText;
  // --help or --version: print this and end.
  std::optional<std::string> print_and_exit;
};

// Code::kUsage for what is not understood.
Result<Options> parse_options(int argc, const char* const argv[]);

}  // namespace rampart::daemon

#endif  // RAMPART_USERSPACE_DAEMON_OPTIONS_H_
