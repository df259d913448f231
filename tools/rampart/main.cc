// SPDX-License-Identifier: Apache-2.0
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

void print_help_of(const Verb& verb) {
  std::printf("usage: rampart %s\n\n  %s\n", verb.synopsis, verb.summary);
}

int run(int argc, const char* const argv[]) {
  const auto command = parse_command(argc, argv);
  if (!command) return fail(command.error());
  const Verb* verb = find_verb(command->verb);
  if (command->help && (verb != nullptr || command->verb.empty())) {
    verb == nullptr ? print_help() : print_help_of(*verb);
    return 0;
  }
  if (const auto checked = check_options(*command); !checked) return fail(checked.error());
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
