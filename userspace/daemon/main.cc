// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>

#include "daemon/daemon.h"
#include "daemon/options.h"

int main(int argc, char* argv[]) {
  using namespace rampart;

  const auto fail = [](const Error& error) {
    std::fprintf(stderr, "rampart: %s\n", error.text.c_str());
    return static_cast<int>(error.code);
  };
  // Whoever reads the log may go away.
  std::signal(SIGPIPE, SIG_IGN);
  // Until the daemon takes it there is nothing to reload.
  std::signal(SIGHUP, SIG_IGN);
  const auto options = daemon::parse_options(argc, argv);
  if (!options) return fail(options.error());
  if (options->print_and_exit) {
    std::fputs(options->print_and_exit->c_str(), stdout);
    return 0;
  }
  if (!log::start(options->log_level, options->log_format)) {
    return fail({Code::kUsage, "--log-level: there is no level " + options->log_level});
  }
  const auto ended = daemon::run(*options);
  return ended ? 0 : fail(ended.error());
}
