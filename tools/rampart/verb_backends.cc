// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "rampart/client.h"
#include "rampart/command.h"
#include "rampart/table.h"

namespace rampart::cli {
namespace {

using nlohmann::json;

std::string target_for(const Command& command) {
  return command.arguments.empty() ? "/v1/backends"
                                   : "/v1/backends?vip=" + in_query(command.arguments[0]);
}

std::string text_or_dash(const json& value) {
  return value.is_string() ? value.get<std::string>() : "-";
}

// "100", or with an order "100->20".
std::string weight_of(const json& weight) {
  const std::string configured = weight["configured"].dump();
  return weight["override"].is_null() ? configured : configured + "->" + weight["override"].dump();
}

void print_backends(const json& backends) {
  Table table({"PLANE", "VIP", "BACKEND", "STATE", ">WEIGHT", ">SHOWN", ">SLOTS", ">SHARE %",
               ">ACTIVE", ">FLOWS", ">PACKETS", ">BYTES", "RAMP SINCE", ">LEFT s"});
  for (const json& node : backends) {
    const json& ramp = node["ramp"];
    table.add({text_or_dash(node["plane"]), text_or_dash(node["vip"]), text_or_dash(node["name"]),
               text_or_dash(node["state"]), weight_of(node["weight"]),
               node["weight"]["shown"].dump(), node["slots"].dump(), number(node["share"]),
               node["flows"]["active"].dump(), node["flows"]["total"].dump(),
               node["packets"].dump(), node["bytes"].dump(),
               ramp.is_null() ? "-" : text_or_dash(ramp["start"]),
               ramp.is_null() ? "-" : number(ramp["seconds_left"])});
  }
  table.print();
}

}  // namespace

int run_backends(const Command& command) {
  if (command.arguments.size() > 1) return fail(usage(command));
  const auto backends = ask_for_nodes(command, "GET", target_for(command));
  if (!backends) return fail(backends.error());
  if (command.json) {
    std::puts(backends->dump(2).c_str());
  } else {
    print_backends(*backends);
  }
  return 0;
}

}  // namespace rampart::cli
