// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>

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

// What stands in capitals in a synopsis.
struct Word {
  const char* word;
  const char* verb;  // that it means this for; nullptr: for all others
  const char* meaning;
};
constexpr Word kWords[] = {
    {"VIP", nullptr, "the id of a VIP in the file"},
    {"ID", nullptr, "the id of a VIP in the file"},
    {"BACKEND", nullptr, "as rampart backends shows it: SCOPE/HOST:PORT"},
    {"NAME", nullptr, "as rampart backends shows it: SCOPE/HOST:PORT"},
    {"ADDR:PORT", nullptr, "a client's; [ADDR]:PORT for IPv6"},
    {"N", "flows", "how many at most: 1 to 20000, 1000 if left out"},
    {"N", "weight", "0 to 65535; 0 takes no new flow"},
    {"N", "simulate", "a whole number; other seeds, other traffic"},
    {"IFACE", nullptr, "an interface of this network namespace"},
    {"DIR", nullptr, "bpf.pin_path of the file, where no daemon runs that knows it"},
};

bool has_word(const std::string& synopsis, const std::string& word) {
  std::istringstream parts(synopsis);
  for (std::string part; parts >> part;) {
    while (!part.empty() && std::strchr("[]|", part.back())) part.pop_back();
    const size_t begin = part.find_first_not_of("[");
    if (begin != std::string::npos && part.substr(begin, part.find('|') - begin) == word)
      return true;
  }
  return false;
}

void print_words_of(const Verb& verb) {
  bool first = true;
  for (const Word& one : kWords) {
    if (one.verb != nullptr && std::string(one.verb) != verb.name) continue;
    if (!has_word(verb.synopsis, one.word)) continue;
    std::printf("%s  %-10s %s\n", first ? "\n" : "", one.word, one.meaning);
    first = false;
  }
}

void print_help_of(const Verb& verb) {
  std::printf("usage: rampart %s\n\n  %s\n", verb.synopsis, verb.summary);
  print_words_of(verb);
}

int run(int argc, const char* const argv[]) {
  const auto command = parse_command(argc, argv);
  if (!command) return fail(command.error());
  const Verb* verb = find_verb(command->verb);
  if (command->verb == "help" && command->arguments.empty()) {
    print_help();
    return 0;
  }
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
