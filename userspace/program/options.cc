// SPDX-License-Identifier: Apache-2.0
#include "program/options.h"

#include <boost/program_options.hpp>
#include <csignal>
#include <cstdio>
#include <sstream>

#include "base/version.h"

namespace rampart::program {
namespace {

namespace po = boost::program_options;

po::options_description describe(const Program& program, Options& options, std::string& format) {
  po::options_description described(std::string(program.name) + ": " + program.what +
                                    "\n\nOptions");
  described.add_options()("config", po::value(&options.config_file)->value_name("FILE"),
                          "configuration (default /etc/rampart/rampart.yaml)");
  if (program.attaches) {
    described.add_options()(
        "detach-on-exit", po::bool_switch(&options.detach_on_exit),
        "on SIGTERM detach and remove all maps; without it traffic goes on without the daemon");
  }
  described.add_options()("log-level", po::value(&options.log_level)->value_name("LEVEL"),
                          "trace, debug, info, warn, error or off (default info)")(
      "log-format", po::value(&format)->value_name("FORMAT"), "text or json (default text)")(
      "version", "print the version")("help", "print this");
  return described;
}

}  // namespace

Result<Options> parse_options(const Program& program, int argc, const char* const argv[]) {
  Options options;
  std::string format = "text";
  const po::options_description described = describe(program, options, format);
  po::variables_map values;
  try {
    po::store(po::command_line_parser(argc, argv)
                  .options(described)
                  .positional(po::positional_options_description())
                  .run(),
              values);
    po::notify(values);
  } catch (const po::error& error) {
    return Error{Code::kUsage, std::string(error.what()) + ": see " + program.name + " --help"};
  }
  if (format != "text" && format != "json") {
    return Error{Code::kUsage, "--log-format: " + format + ": it is text or json"};
  }
  options.log_format = format == "json" ? log::Format::kJson : log::Format::kText;
  if (values.count("version") > 0) {
    options.print_and_exit = std::string(program.name) + " " + kVersion + "\n";
  } else if (values.count("help") > 0) {
    std::ostringstream text;
    text << described;
    options.print_and_exit = text.str();
  }
  return options;
}

Result<control::Config> load_for_start(const Options& options) {
  control::ParseResult parsed = control::load_config(options.config_file);
  for (const control::Problem& problem : parsed.problems) {
    std::fprintf(stderr, "%s\n", control::to_string(problem, options.config_file).c_str());
  }
  if (!parsed.problems.empty()) {
    return Error{Code::kInvalidConfig,
                 options.config_file + ": " + std::to_string(parsed.problems.size()) + " problems"};
  }
  for (const control::Problem& warning : parsed.warnings) {
    log::warn(control::to_string(warning, options.config_file));
  }
  return std::move(parsed.config);
}

int run_main(const Program& program, int argc, const char* const argv[],
             const std::function<Result<void>(const Options&)>& run) {
  const auto fail = [](const Error& error) {
    std::fprintf(stderr, "rampart: %s\n", error.text.c_str());
    return static_cast<int>(error.code);
  };
  // Whoever reads the log may go away.
  std::signal(SIGPIPE, SIG_IGN);
  // Until the program takes them there is nothing to reload, nor to open again.
  std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGUSR1, SIG_IGN);
  const auto options = parse_options(program, argc, argv);
  if (!options) return fail(options.error());
  if (options->print_and_exit) {
    std::fputs(options->print_and_exit->c_str(), stdout);
    return 0;
  }
  if (!log::start(options->log_level, options->log_format)) {
    return fail({Code::kUsage, "--log-level: there is no level " + options->log_level});
  }
  const auto ended = run(*options);
  return ended ? 0 : fail(ended.error());
}

}  // namespace rampart::program
