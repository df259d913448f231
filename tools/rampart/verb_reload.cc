// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "rampart/client.h"
#include "rampart/command.h"

namespace rampart::cli {

int run_reload(const Command& command) {
  if (!command.arguments.empty()) return fail(usage(command));
  const auto answers =
      ask_all(command, "POST", "/v1/reload", command.force ? R"({"force": true})" : "");
  if (!answers) return fail(answers.error());
  for (const Answer& answer : *answers) {
    for (const auto& note : answer.body["notes"]) {
      std::fprintf(stderr, "rampart: %s\n", note.get<std::string>().c_str());
    }
    for (const auto& change : answer.body["changes"]) {
      std::puts(change.get<std::string>().c_str());
    }
    if (answer.body["changes"].empty()) std::puts("nothing changed");
  }
  return 0;
}

}  // namespace rampart::cli
