// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "rampart/client.h"
#include "rampart/command.h"
#include "rampart/table.h"

namespace rampart::cli {
namespace {

using nlohmann::json;

std::string word(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? "-" : value.dump();
}

void print_interfaces(const json& interfaces) {
  Table table({"INTERFACE", "STATE", "MODE", "FILE", "NOTE"});
  for (const json& one : interfaces) {
    table.add({word(one["name"]), one["attached"] == true ? "attached" : "detached",
               word(one["mode"]), one["in_file"] == true ? "listed" : "not listed",
               one.value("note", "")});
  }
  std::puts("");
  table.print();
}

void print_vips(const json& vips) {
  Table table({"VIP", "ADDRESS", "FORWARD", "TYPE", "UPSTREAM", ">BACKENDS", ">SERVING",
               ">FORWARDED", ">DROPPED"});
  for (const json& vip : vips) {
    uint64_t forwarded = 0;
    uint64_t dropped = 0;
    const json outcomes = vip.value("outcomes", json::object());
    for (const auto& [name, packets] : outcomes.items()) {
      if (name.starts_with("forward_")) forwarded += packets.get<uint64_t>();
      if (name.starts_with("drop_")) dropped += packets.get<uint64_t>();
    }
    table.add({word(vip["id"]),
               word(vip["address"]) + ":" + vip["port"].dump() + "/" + word(vip["protocol"]),
               word(vip["forward"]), word(vip["type"]), word(vip["upstream"]),
               vip["backends"].dump(), vip["serving"].dump(), std::to_string(forwarded),
               std::to_string(dropped)});
  }
  std::puts("");
  table.print();
}

void print_outcomes(const std::string& of, const json& outcomes) {
  for (const auto& [name, packets] : outcomes.items()) {
    std::printf("  %-24s %-24s %s\n", of.c_str(), name.c_str(), packets.dump().c_str());
  }
}

void print_packets(const json& status) {
  std::puts("\nPackets by outcome:");
  for (const json& vip : status["vips"]) {
    print_outcomes(word(vip["id"]), vip.value("outcomes", json::object()));
  }
  print_outcomes("(no VIP)", status["other_packets"]);
}

// Backends that get no new flow, or other ones than the file says, and why.
void print_held_back(const json& held_back) {
  if (held_back.empty()) return;
  Table table({"NOT AS CONFIGURED", "VIP", "STATE", ">WEIGHT", "SINCE", "BECAUSE"});
  for (const json& one : held_back) {
    table.add({word(one["backend"]), word(one["vip"]), word(one["state"]), number(one["effective"]),
               word(one["since"]), word(one["because"])});
  }
  std::puts("");
  table.print();
}

void print_flow_table(const json& flows) {
  std::printf("\nFlow table: %s entries, for %s flows", flows["entries"].dump().c_str(),
              flows["max_flows"].dump().c_str());
  for (const char* what : {"evicted", "refused", "limited", "revived", "count_drift"}) {
    if (flows.contains(what) && flows[what] != 0) {
      std::printf(", %s %s", flows[what].dump().c_str(), what);
    }
  }
  std::puts("");
}

void print_ramps(const json& ramps) {
  if (ramps.empty()) return;
  Table table({"RAMPING", "VIP", ">PERCENT", ">SECONDS LEFT", "SINCE"});
  for (const json& one : ramps) {
    const json& ramp = one["ramp"];
    table.add({word(one["backend"]), word(one["vip"]), number(ramp["percent"]),
               number(ramp["seconds_left"]), word(ramp["start"])});
  }
  std::puts("");
  table.print();
}

void print_status(const json& status) {
  const json& reload = status["last_reload"];
  std::printf("instance %s, rampartd %s, since %s\n", word(status["instance"]).c_str(),
              word(status["version"]).c_str(), word(status["started"]).c_str());
  std::printf("configuration %s, number %s, %s %s\n", word(status["config_file"]).c_str(),
              status["epoch"].dump().c_str(),
              reload["successful"] == true ? "read" : "last reload REFUSED",
              word(reload["at"]).c_str());
  print_interfaces(status["interfaces"]);
  print_vips(status["vips"]);
  print_ramps(status["ramps"]);
  print_held_back(status["held_back"]);
  print_flow_table(status["flow_table"]);
  print_packets(status);
  for (const json& warning : status["warnings"]) {
    std::printf("\nwarning: %s", word(warning).c_str());
  }
  if (!status["warnings"].empty()) std::puts("");
}

}  // namespace

int run_status(const Command& command) {
  if (!command.arguments.empty()) return fail(usage(command));
  const auto status = ask_daemon(command, "GET", "/v1/status");
  if (!status) return fail(status.error());
  if (command.json) {
    std::puts(status->dump(2).c_str());
  } else {
    print_status(*status);
  }
  return 0;
}

}  // namespace rampart::cli
