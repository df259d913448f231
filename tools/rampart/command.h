// SPDX-License-Identifier: Apache-2.0
// What every verb of the command line has in common.
#ifndef RAMPART_TOOLS_RAMPART_COMMAND_H_
#define RAMPART_TOOLS_RAMPART_COMMAND_H_

#include <cstdint>
#include <optional>
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
  std::string instance = "default";
  std::string pin_path;  // for detach without a daemon
  bool json = false;     // -o json
  bool help = false;
  bool version = false;  // --version, which is the verb too
  // Options of single verbs; a verb refuses those that it does not have.
  std::optional<std::string> mode;  // attach
  bool dispatcher = false;          // attach
  bool all = false;                 // detach, simulate
  bool force = false;               // reload
  std::optional<uint64_t> seed;     // simulate
  std::optional<std::string> plot;  // simulate
  std::string vip;                  // flows
  std::string backend;              // flows
  std::optional<uint64_t> limit;    // flows
};

Result<Command> parse_command(int argc, const char* const argv[]);

// "rampart: TEXT" on standard error; returns the exit code.
int fail(const Error& error);
// A usage error that names the verb's own synopsis.
Error usage(const std::string& synopsis);

struct Verb {
  const char* name;
  const char* synopsis;
  const char* summary;
  int (*run)(const Command& command);
};
const std::vector<Verb>& verbs();

int run_validate(const Command& command);
int run_status(const Command& command);
int run_backends(const Command& command);
int run_flows(const Command& command);
int run_reload(const Command& command);
int run_attach(const Command& command);
int run_detach(const Command& command);
int run_simulate(const Command& command);
int run_version(const Command& command);

}  // namespace rampart::cli

#endif  // RAMPART_TOOLS_RAMPART_COMMAND_H_
