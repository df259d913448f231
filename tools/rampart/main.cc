// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "rampart/command.h"

namespace rampart::cli {
namespace {

void print_help() {
  std::puts("rampart: the command line of the Rampart load balancer\n");
  for (const Verb& verb : verbs()) std::printf("  rampart %-44s %s\n", verb.synopsis, verb.summary);
  std::puts(
      "\nEvery verb takes --socket PATH (else RAMPART_SOCKET) or --instance NAME (default: "
      "default).\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the configuration is invalid,\n"
      "4 cannot attach or load, 5 no daemon to talk to, 6 missing privilege.");
}

int run(int argc, const char* const argv[]) {
  const auto command = parse_command(argc, argv);
  if (!command) return fail(command.error());
  if (command->help) {
    print_help();
    return 0;
  }
  const auto verb = std::find_if(verbs().begin(), verbs().end(),
                                 [&](const Verb& one) { return one.name == command->verb; });
  if (verb == verbs().end()) {
    const std::string what =
        command->verb.empty() ? "no verb" : "there is no verb '" + command->verb + "'";
    return fail({Code::kUsage, what + ": see rampart --help"});
  }
  const bool simulates = command->verb == "simulate";
  const bool foreign_option = (command->force && command->verb != "reload") ||
                              (command->all && command->verb != "detach" && !simulates) ||
                              ((command->seed || command->plot) && !simulates) ||
                              ((command->mode || command->dispatcher) && command->verb != "attach");
  if (foreign_option) return fail(usage(verb->synopsis));
  return verb->run(*command);
}

// Output that never came, to a full disk for example, is a failure. Where the last write went well,
// nobody knows any longer what the one that failed said.
int finish(int exit_code) {
  Error error;
  if (std::fflush(stdout) != 0) {
    error = system_error("write standard output", errno);
  } else if (std::ferror(stdout) != 0) {
    error.text = "standard output could not be written";
  } else {
    return exit_code;
  }
  const int failed = fail(error);
  return exit_code == 0 ? failed : exit_code;
}

}  // namespace
}  // namespace rampart::cli

int main(int argc, char* argv[]) {
  return rampart::cli::finish(rampart::cli::run(argc, argv));
}
