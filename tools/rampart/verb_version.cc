// SPDX-License-Identifier: Apache-2.0
#include <bpf/libbpf.h>
#include <sys/utsname.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "rampart/abi.h"
#include "rampart/client.h"
#include "rampart/command.h"

namespace rampart::cli {

int run_version(const Command& command) {
  if (!command.arguments.empty()) return fail(usage(command));
  utsname kernel = {};
  uname(&kernel);
  nlohmann::json parts = {{"rampart", kVersion},
                          {"abi", RP_ABI_VERSION},
                          {"libbpf", std::string(libbpf_version_string()).substr(1)},
                          {"kernel", kernel.release}};
  const auto status = ask_daemon(command, "GET", "/v1/status");
  parts["rampartd"] = status.ok() ? (*status)["version"] : nlohmann::json(nullptr);
  parts["bpf_object"] = status.ok() ? (*status)["bpf_object"] : nlohmann::json(nullptr);
  if (command.json) {
    std::puts(parts.dump(2).c_str());
    return 0;
  }
  for (const auto& [name, version] : parts.items()) {
    const std::string text = version.is_string() ? version.get<std::string>() : version.dump();
    std::printf("%-12s %s\n", name.c_str(), version.is_null() ? "(not running)" : text.c_str());
  }
  return 0;
}

}  // namespace rampart::cli
