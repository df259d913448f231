// SPDX-License-Identifier: Apache-2.0
// Talks to a control socket.
#ifndef RAMPART_TOOLS_RAMPART_CLIENT_H_
#define RAMPART_TOOLS_RAMPART_CLIENT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "rampart/command.h"

namespace rampart::cli {

// One answer of one process: rampartd (plane l4) or rampart-http (l7).
struct Answer {
  std::string plane;
  nlohmann::json body;
};

// Asks the daemon and the proxy beside it; one that does not run is left out. Code::kNoDaemon if
// neither does; the highest code if one refuses.
Result<std::vector<Answer>> ask_all(const Command& command, const std::string& method,
                                    const std::string& target, const std::string& body = {});
// As ask_all(), where each answer is an array: both in one.
Result<nlohmann::json> ask_for_nodes(const Command& command, const std::string& method,
                                     const std::string& target, const std::string& body = {});
// A value as it stands in a query: percent-encoded but for letters, digits and "-._~" (RFC 3986).
std::string in_query(const std::string& value);
// As ask_all(), the daemon alone: for what only it does.
Result<nlohmann::json> ask_daemon(const Command& command, const std::string& method,
                                  const std::string& target, const std::string& body = {});

}  // namespace rampart::cli

#endif  // RAMPART_TOOLS_RAMPART_CLIENT_H_
