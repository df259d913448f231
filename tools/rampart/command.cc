// SPDX-License-Identifier: Apache-2.0
#include "rampart/command.h"

#include <boost/program_options.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/whole_number.h"
#include "control/config_text.h"

namespace rampart::cli {
namespace {

namespace po = boost::program_options;

po::options_description describe(Command& command, std::string& output) {
  po::options_description options;
  options.add_options()("socket", po::value(&command.socket))("instance",
                                                              po::value(&command.instance))(
      "pin-path", po::value(&command.pin_path)->default_value("/sys/fs/bpf/rampart"))(
      "output,o", po::value(&output)->default_value("text"))(
      "help,h", po::bool_switch(&command.help))("version", po::bool_switch(&command.version))(
      "mode", po::value<std::string>())("dispatcher", po::bool_switch(&command.dispatcher))(
      "all", po::bool_switch(&command.all))("force", po::bool_switch(&command.force))(
      "vip", po::value(&command.vip))("backend", po::value(&command.backend))(
      "limit", po::value<std::string>())("seed", po::value<std::string>())(
      "plot", po::value<std::string>())("words", po::value<std::vector<std::string>>());
  return options;
}

// --socket, else RAMPART_SOCKET, else that of the instance.
void complete_socket(Command& command) {
  command.socket_given = !command.socket.empty();
  if (command.socket_given) return;
  const char* from_environment = std::getenv("RAMPART_SOCKET");
  if (from_environment != nullptr && *from_environment != '\0') {
    command.socket = from_environment;
  } else {
    command.socket = "/run/rampart/" + command.instance + ".sock";
  }
}

}  // namespace

Result<Command> parse_command(int argc, const char* const argv[]) {
  Command command;
  std::string output;
  const po::options_description options = describe(command, output);
  po::positional_options_description positional;
  positional.add("words", -1);
  po::variables_map values;
  try {
    po::store(po::command_line_parser(argc, argv).options(options).positional(positional).run(),
              values);
    po::notify(values);
  } catch (const po::error& error) {
    return Error{Code::kUsage, std::string(error.what()) + ": see rampart --help"};
  }
  if (output != "text" && output != "json") {
    return Error{Code::kUsage, "-o " + output + ": it is text or json"};
  }
  command.json = output == "json";
  if (values.count("mode") > 0) command.mode = values["mode"].as<std::string>();
  if (values.count("seed") > 0) {
    const std::string& text = values["seed"].as<std::string>();
    command.seed = whole_number<uint64_t>(text);
    if (!command.seed) {
      return Error{Code::kUsage, "--seed " + text + ": it is a whole number 0…2⁶⁴-1"};
    }
  }
  if (values.count("limit") > 0) {
    const std::string& text = values["limit"].as<std::string>();
    command.limit = whole_number<uint64_t>(text);
    if (command.limit.value_or(0) == 0) {
      return Error{Code::kUsage, "--limit " + text + ": it is a whole number, 1 or more"};
    }
  }
  if (values.count("plot") > 0) command.plot = values["plot"].as<std::string>();
  if (values.count("words") > 0) {
    command.arguments = values["words"].as<std::vector<std::string>>();
    command.verb = command.arguments.front();
    command.arguments.erase(command.arguments.begin());
  }
  if (command.version && command.verb.empty()) command.verb = "version";
  // It becomes part of paths.
  if (!control::kInstanceName.accepts(command.instance)) {
    return Error{Code::kUsage,
                 "--instance " + command.instance + ": it is 1 to 64 letters, digits, '_' or '-'"};
  }
  complete_socket(command);
  return command;
}

int fail(const Error& error) {
  std::fprintf(stderr, "rampart: %s\n", error.text.c_str());
  return static_cast<int>(error.code);
}

Error usage(const std::string& synopsis) {
  return Error{Code::kUsage, "usage: rampart " + synopsis};
}

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> kVerbs = {
      {"validate", "validate FILE", "check a configuration file; every problem with its place",
       run_validate},
      {"status", "status [-o json]", "interfaces, VIPs, ramps in progress, last reload, warnings",
       run_status},
      {"backends", "backends [VIP] [-o json]",
       "weight, slots, share, flows and ramp of each backend", run_backends},
      {"flows", "flows [--vip ID] [--backend NAME] [--limit N] [-o json]",
       "the flow table: client, backend, state and idle time of each flow", run_flows},
      {"reload", "reload", "have the daemon read its file again; prints what changed", run_reload},
      {"attach", "attach IFACE [--mode auto|native|generic]", "attach to one more interface",
       run_attach},
      {"detach", "detach IFACE|--all [--pin-path DIR]",
       "detach; without a daemon too, where --all also removes all maps", run_detach},
      {"simulate", "simulate FILE [--seed N] [--plot OUT.svg] [--all] [-o json]",
       "play a scenario: weights, slots and moves over time; no daemon needed", run_simulate},
      {"version", "version [-o json]", "versions of the parts", run_version},
  };
  return kVerbs;
}

}  // namespace rampart::cli
