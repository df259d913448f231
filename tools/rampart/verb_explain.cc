// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "rampart/client.h"
#include "rampart/command.h"
#include "rampart/table.h"

namespace rampart::cli {
namespace {

using nlohmann::json;

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "-" : value.dump();
}

void print_line(const char* what, const std::string& text) {
  std::printf("  %-10s%s\n", what, text.c_str());
}

// A backend is chosen before the way to it is known to be open.
std::string destination_of(const json& answer) {
  if (answer["backend"].is_null()) return "no backend";
  const std::string name = text_of(answer["backend"]);
  const std::string verdict = text_of(answer["verdict"]);
  return verdict == "TX" || verdict == "REDIRECT" ? name : "nowhere; it would have been " + name;
}

void print_packet(const json& answer) {
  const std::string protocol = text_of(answer["protocol"]);
  std::printf("%s from %s to %s, %s/%s, through %s\n",
              protocol == "udp" ? "A datagram" : "A first packet (SYN)",
              text_of(answer["client"]).c_str(), text_of(answer["vip"]).c_str(),
              text_of(answer["vip_address"]).c_str(), protocol.c_str(),
              text_of(answer["interface"]).c_str());
  print_line("goes to", destination_of(answer));
  print_line("outcome", text_of(answer["outcome"]) + ": " + text_of(answer["meaning"]));
  print_line("because", text_of(answer["reason"]));
}

std::string ramp_of(const json& ramp) {
  if (ramp.is_null()) return "none";
  return number(ramp["percent"]) + " % done, since " + text_of(ramp["start"]) + ", " +
         number(ramp["seconds_left"]) + " s left";
}

void print_backend(const json& node) {
  const json& weight = node["weight"];
  std::printf("%s of %s\n", text_of(node["name"]).c_str(), text_of(node["vip"]).c_str());
  print_line("state", text_of(node["state"]) + " (lifecycle " + text_of(node["lifecycle"]) +
                          ", admin " + text_of(node["admin"]) + ", health " +
                          text_of(node["health"]) + ")");
  print_line("weight", "configured " + text_of(weight["configured"]) + ", override " +
                           text_of(weight["override"]) + ", effective " +
                           number(weight["effective"]) + ", shown " + text_of(weight["shown"]));
  if (!node.value("admin_by", json()).is_null()) {
    print_line("order", text_of(node["admin"]) + ", by " + text_of(node["admin_by"]));
  }
  if (!weight.value("override_by", json()).is_null()) {
    print_line("order",
               "weight " + text_of(weight["override"]) + ", by " + text_of(weight["override_by"]));
  }
  if (!node.value("health_reason", json()).is_null()) {
    print_line("checks", text_of(node["health"]) + " since " + text_of(node["health_since"]) +
                             ": " + text_of(node["health_reason"]));
  }
  print_line("ramp", ramp_of(node["ramp"]));
  print_line("slots", text_of(node["slots"]) + ", " + number(node["share"]) + " % of the table");
  print_line("because", text_of(node["reason"]));
}

}  // namespace

int run_explain(const Command& command) {
  const bool of_backend = !command.backend.empty();
  const bool of_packet = command.arguments.size() == 1 && !command.source.empty();
  const bool too_much = !command.arguments.empty() || !command.source.empty();
  if (of_backend ? too_much : !of_packet) return fail(usage(command));
  const std::string target = of_backend ? "/v1/explain?backend=" + in_query(command.backend)
                                        : "/v1/explain?vip=" + in_query(command.arguments[0]) +
                                              "&src=" + in_query(command.source);
  const auto answer = ask_daemon(command, "GET", target);
  if (!answer) return fail(answer.error());
  if (command.json) {
    std::puts(answer->dump(2).c_str());
  } else if (of_backend) {
    for (const json& node : *answer) print_backend(node);
  } else {
    print_packet(*answer);
  }
  return 0;
}

}  // namespace rampart::cli
