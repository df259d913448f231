// SPDX-License-Identifier: Apache-2.0
// What every verb of the command line has in common.
#ifndef RAMPART_TOOLS_RAMPART_COMMAND_H_
#define RAMPART_TOOLS_RAMPART_COMMAND_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace rampart::cli {

// The command line, split: `rampart [GLOBAL…] VERB [ARGUMENT…]`; options may stand anywhere.
struct Command {
  std::string verb;
  std::vector<std::string> arguments;
  std::string socket;  // of rampartd
  bool socket_given = false;
  bool socket_of_environment = false;  // RAMPART_SOCKET
  std::string instance = "default";
  std::string pin_path;  // for detach without a daemon
  bool json = false;     // -o json
  bool help = false;
  bool version = false;         // --version, which is the verb too
  std::set<std::string> given;  // options that stand on the line, by their long names
  // Options of single verbs.
  std::optional<std::string> mode;  // attach
  bool dispatcher = false;          // attach
  bool all = false;                 // detach, simulate
  bool force = false;               // reload
  std::optional<uint64_t> seed;     // simulate
  std::optional<std::string> plot;  // simulate
  std::string vip;                  // flows
  std::string backend;              // flows, explain
  std::string source;               // explain
  bool ramp = false;                // undrain, ready
  bool clear = false;               // weight
  std::optional<uint64_t> limit;    // flows
};

Result<Command> parse_command(int argc, const char* const argv[]);

// "rampart: TEXT" on standard error; returns the exit code.
int fail(const Error& error);

struct Verb {
  const char* name;
  const char* synopsis;
  const char* summary;
  std::set<std::string> options;  // beside those that every verb takes
  int (*run)(const Command& command);
};
const std::vector<Verb>& verbs();
// Nothing if there is no such verb.
const Verb* find_verb(const std::string& name);
// What is wrong with the line as a whole: no such verb, an option that the verb does not have.
Result<void> check_options(const Command& command);
// A usage error that names the verb's own synopsis. REQUIRES: there is such a verb.
Error usage(const Command& command);

int run_validate(const Command& command);
int run_status(const Command& command);
int run_backends(const Command& command);
int run_flows(const Command& command);
int run_explain(const Command& command);
int run_admin(const Command& command);
int run_weight(const Command& command);
int run_reload(const Command& command);
int run_attach(const Command& command);
int run_detach(const Command& command);
int run_simulate(const Command& command);
int run_version(const Command& command);

}  // namespace rampart::cli

#endif  // RAMPART_TOOLS_RAMPART_COMMAND_H_
