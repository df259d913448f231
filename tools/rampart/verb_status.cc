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

void print_listeners(const json& listeners) {
  Table table({"LISTENER", ">PORT", "TLS"});
  for (const json& one : listeners) {
    table.add({word(one["address"]), one["port"].dump(), one["tls"] == true ? "yes" : "no"});
  }
  std::puts("");
  table.print();
}

void print_routes(const json& routes) {
  Table table({"ROUTE", "HOST", "URI", "METHODS", "UPSTREAM"});
  for (const json& route : routes) {
    std::string methods;
    for (const json& method : route["methods"])
      methods += (methods.empty() ? "" : ",") + word(method);
    std::string upstream = route["traffic_split"].empty() ? word(route["upstream"]) : "";
    for (const json& one : route["traffic_split"]) {
      upstream +=
          (upstream.empty() ? "" : " ") + word(one["upstream"]) + ":" + one["weight"].dump();
    }
    table.add({word(route["id"]), word(route["host"]), word(route["uri"]),
               methods.empty() ? "all" : methods, upstream});
  }
  std::puts("");
  table.print();
}

// Of rampart-http.
void print_http_status(const json& status) {
  const json& reload = status["last_reload"];
  std::printf("instance %s, rampart-http %s, since %s\n", word(status["instance"]).c_str(),
              word(status["version"]).c_str(), word(status["started"]).c_str());
  std::printf("configuration %s, number %s, %s %s\n", word(status["config_file"]).c_str(),
              status["epoch"].dump().c_str(),
              reload["successful"] == true ? "read" : "last reload REFUSED",
              word(reload["at"]).c_str());
  print_listeners(status["listeners"]);
  print_routes(status["routes"]);
  print_ramps(status["ramps"]);
  print_held_back(status["held_back"]);
  std::printf("\nRequests: %s, retries %s; connections: %s of clients, %s kept to nodes\n",
              status["requests"]["total"].dump().c_str(),
              status["requests"]["retries"].dump().c_str(),
              status["connections"]["clients"].dump().c_str(),
              status["connections"]["kept_to_nodes"].dump().c_str());
  for (const json& warning : status["warnings"]) {
    std::printf("\nwarning: %s\n", word(warning).c_str());
  }
}

}  // namespace

// As JSON what the one process gives; where both run, the daemon's with the proxy's as "http".
int run_status(const Command& command) {
  if (!command.arguments.empty()) return fail(usage(command));
  const auto answers = ask_all(command, "GET", "/v1/status");
  if (!answers) return fail(answers.error());
  if (command.json) {
    json status = answers->front().body;
    if (answers->size() > 1) status["http"] = answers->back().body;
    std::puts(status.dump(2).c_str());
    return 0;
  }
  for (const Answer& answer : *answers) {
    if (&answer != &answers->front()) std::puts("");
    answer.plane == "l7" ? print_http_status(answer.body) : print_status(answer.body);
  }
  return 0;
}

}  // namespace rampart::cli
