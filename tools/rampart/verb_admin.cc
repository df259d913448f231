// SPDX-License-Identifier: Apache-2.0
// drain, undrain, maintenance, ready and weight.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/weight.h"
#include "base/whole_number.h"
#include "rampart/client.h"
#include "rampart/command.h"
#include "rampart/table.h"

namespace rampart::cli {
namespace {

using nlohmann::json;

std::string target_of(const Command& command) {
  return "/v1/backends/" + in_query(command.arguments[0]) + "/" + command.verb;
}

// What was ordered, of one node or of one for each VIP, in one line each.
int print(const Command& command, const json& nodes) {
  if (command.json) {
    std::puts(nodes.dump(2).c_str());
    return 0;
  }
  for (const json& node : nodes) {
    const json& weight = node["weight"];
    const std::string ordered =
        weight["override"].is_null() ? "" : " (ordered: " + weight["override"].dump() + ")";
    // At layer 7 there is no VIP, and what is active are requests.
    const bool l7 = node["vip"].is_null();
    const std::string where = l7 ? " in rampart-http" : " of " + node["vip"].get<std::string>();
    std::printf("%s%s: %s, weight %s%s, %s active %s\n", node["name"].get<std::string>().c_str(),
                where.c_str(), node["state"].get<std::string>().c_str(),
                number(weight["effective"]).c_str(), ordered.c_str(),
                node["flows"]["active"].dump().c_str(), l7 ? "requests" : "flows");
  }
  return 0;
}

int order(const Command& command, const std::string& method, const std::string& body) {
  const auto nodes = ask_for_nodes(command, method, target_of(command), body);
  return nodes ? print(command, *nodes) : fail(nodes.error());
}

}  // namespace

int run_admin(const Command& command) {
  if (command.arguments.size() != 1) return fail(usage(command));
  return order(command, "POST", command.ramp ? R"({"ramp": true})" : "");
}

int run_weight(const Command& command) {
  if (command.clear && command.arguments.size() == 1) return order(command, "DELETE", "");
  if (command.clear || command.arguments.size() != 2) return fail(usage(command));
  const auto weight = whole_number<uint32_t>(command.arguments[1]);
  if (weight.value_or(kMostWeight + 1) > kMostWeight) {
    return fail({Code::kUsage, "weight " + command.arguments[1] + ": it is a whole number 0…" +
                                   std::to_string(kMostWeight)});
  }
  return order(command, "PUT", json{{"weight", *weight}}.dump());
}

}  // namespace rampart::cli
