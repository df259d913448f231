// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "rampart/client.h"
#include "rampart/command.h"
#include "rampart/table.h"

namespace rampart::cli {
namespace {

using nlohmann::json;

constexpr uint64_t kUnlessTold = 100;

std::string target_for(const Command& command, uint64_t limit) {
  std::string target = "/v1/flows?limit=" + std::to_string(limit);
  if (!command.vip.empty()) target += "&vip=" + in_query(command.vip);
  if (!command.backend.empty()) target += "&backend=" + in_query(command.backend);
  return target;
}

void print_flows(const json& flows) {
  Table table({"CLIENT", "VIP", "ADDRESS", "BACKEND", "STATE", ">IDLE s"});
  for (const json& flow : flows) {
    table.add({flow["client"], flow["vip"],
               flow["vip_address"].get<std::string>() + "/" + flow["protocol"].get<std::string>(),
               flow["backend"], flow["state"], flow["idle_seconds"].dump()});
  }
  table.print();
}

}  // namespace

int run_flows(const Command& command) {
  if (!command.arguments.empty()) {
    return fail(usage(command));
  }
  const uint64_t limit = command.limit.value_or(kUnlessTold);
  auto answer = ask_daemon(command, "GET", target_for(command, limit));
  if (!answer) return fail(answer.error());
  const json flows = std::move(*answer);
  if (command.json) {
    std::puts(flows.dump(2).c_str());
  } else {
    print_flows(flows);
  }
  if (flows.size() == limit) {
    std::fprintf(stderr, "rampart: there may be more: see --limit, --vip, --backend\n");
  }
  return 0;
}

}  // namespace rampart::cli
