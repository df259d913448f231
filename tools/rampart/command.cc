// SPDX-License-Identifier: Apache-2.0
#include "rampart/command.h"

#include <algorithm>
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
      "src", po::value(&command.source))("ramp", po::bool_switch(&command.ramp))(
      "clear", po::bool_switch(&command.clear))("limit", po::value<std::string>())(
      "seed", po::value<std::string>())("plot", po::value<std::string>())(
      "words", po::value<std::vector<std::string>>());
  return options;
}

// --socket, else RAMPART_SOCKET, else that of the instance.
void complete_socket(Command& command) {
  command.socket_given = !command.socket.empty();
  if (command.socket_given) return;
  const char* from_environment = std::getenv("RAMPART_SOCKET");
  if (from_environment != nullptr && *from_environment != '\0') {
    command.socket = from_environment;
    command.socket_of_environment = true;
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
    // An option that is nearly one is none: --forc must not force.
    const int style =
        po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    const auto parsed = po::command_line_parser(argc, argv)
                            .options(options)
                            .positional(positional)
                            .style(style)
                            .run();
    for (const auto& option : parsed.options) {
      if (option.position_key < 0) command.given.insert(option.string_key);
    }
    po::store(parsed, values);
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

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> kVerbs = {
      {"validate",
       "validate FILE",
       "check a configuration file; every problem with its place",
       {},
       run_validate},
      {"status",
       "status [-o json]",
       "interfaces, VIPs, ramps in progress, last reload, warnings",
       {},
       run_status},
      {"backends",
       "backends [VIP] [-o json]",
       "weight, slots, share, flows and ramp of each backend",
       {},
       run_backends},
      {"flows",
       "flows [--vip ID] [--backend NAME] [--limit N] [-o json]",
       "the flow table: client, backend, state and idle time of each flow",
       {"vip", "backend", "limit"},
       run_flows},
      {"explain",
       "explain VIP --src ADDR:PORT | --backend NAME [-o json]",
       "where a packet goes, or what a backend's weight is, and why",
       {"src", "backend"},
       run_explain},
      {"drain",
       "drain BACKEND [-o json]",
       "no new flows; existing ones until they end",
       {},
       run_admin},
      {"undrain", "undrain BACKEND [--ramp] [-o json]", "ends a drain", {"ramp"}, run_admin},
      {"maintenance",
       "maintenance BACKEND [-o json]",
       "as if it were down, until ready",
       {},
       run_admin},
      {"ready",
       "ready BACKEND [--ramp] [-o json]",
       "ends maintenance or a drain; --ramp: by a ramp",
       {"ramp"},
       run_admin},
      {"weight",
       "weight BACKEND N | BACKEND --clear [-o json]",
       "another target weight than the file's, until cleared",
       {"clear"},
       run_weight},
      {"reload",
       "reload [--force]",
       "have the daemon read its file again; --force: also where most of what serves would go",
       {"force"},
       run_reload},
      {"attach",
       "attach IFACE [--mode auto|native|generic]",
       "attach to one more interface",
       {"mode", "dispatcher"},
       run_attach},
      {"detach",
       "detach IFACE|--all [--pin-path DIR]",
       "detach; without a daemon too, where --all also removes all maps",
       {"all", "pin-path"},
       run_detach},
      {"simulate",
       "simulate FILE [--seed N] [--plot OUT.svg] [--all] [-o json]",
       "play a scenario: weights, slots and moves over time; no daemon needed",
       {"seed", "plot", "all"},
       run_simulate},
      {"version", "version [-o json]", "versions of the parts", {"version"}, run_version},
  };
  return kVerbs;
}

const Verb* find_verb(const std::string& name) {
  const auto verb = std::find_if(verbs().begin(), verbs().end(),
                                 [&](const Verb& one) { return one.name == name; });
  return verb == verbs().end() ? nullptr : &*verb;
}

Result<void> check_options(const Command& command) {
  if (command.verb.empty()) return Error{Code::kUsage, "no verb: see rampart --help"};
  const Verb* verb = find_verb(command.verb);
  if (verb == nullptr) {
    return Error{Code::kUsage, "there is no verb '" + command.verb + "': see rampart --help"};
  }
  if (command.socket_of_environment && command.given.contains("instance")) {
    return Error{Code::kUsage, "--instance " + command.instance + ": RAMPART_SOCKET is " +
                                   command.socket +
                                   " and would win: unset it, or give --socket instead"};
  }
  static const std::set<std::string> kEverywhere = {"socket", "instance", "output", "help"};
  for (const std::string& option : command.given) {
    if (kEverywhere.contains(option) || verb->options.contains(option)) continue;
    return Error{Code::kUsage,
                 "--" + option + " is no option of " + command.verb + ": " + usage(command).text};
  }
  return {};
}

Error usage(const Command& command) {
  return Error{Code::kUsage, std::string("usage: rampart ") + find_verb(command.verb)->synopsis};
}

}  // namespace rampart::cli
