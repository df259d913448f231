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

// Ids need no escape in a query; of a backend's name the brackets of IPv6 hosts are legal there too.
std::string target_for(const Command& command, uint64_t limit) {
  std::string target = "/v1/flows?limit=" + std::to_string(limit);
  if (!command.vip.empty()) target += "&vip=" + command.vip;
  if (!command.backend.empty()) target += "&backend=" + command.backend;
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
    return fail(usage("flows [--vip ID] [--backend NAME] [--limit N] [-o json]"));
  }
  const uint64_t limit = command.limit.value_or(kUnlessTold);
  // One more, to know whether there are more.
  auto answer = ask_daemon(command, "GET", target_for(command, limit + 1));
  if (!answer) return fail(answer.error());
  json flows = std::move(*answer);
  const bool more = flows.size() > limit;
  if (more) flows.erase(flows.begin() + static_cast<json::difference_type>(limit), flows.end());
  if (command.json) {
    std::puts(flows.dump(2).c_str());
  } else {
    print_flows(flows);
  }
  if (more) {
    std::fprintf(stderr, "rampart: there are more: see --limit, --vip, --backend\n");
  }
  return 0;
}

}  // namespace rampart::cli
