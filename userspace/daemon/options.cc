// SPDX-License-Identifier: Apache-2.0
#include "daemon/options.h"

#include <boost/program_options.hpp>
#include <sstream>

#include "base/version.h"

namespace rampart::daemon {
namespace {

namespace po = boost::program_options;

po::options_description describe(Options& options, std::string& format) {
  po::options_description described("rampartd: the daemon of the Rampart load balancer\n\nOptions");
  described.add_options()("config", po::value(&options.config_file)->value_name("FILE"),
                          "configuration (default /etc/rampart/rampart.yaml)")(
      "detach-on-exit", po::bool_switch(&options.detach_on_exit),
      "on SIGTERM detach and remove all maps; without it traffic goes on without the daemon")(
      "log-level", po::value(&options.log_level)->value_name("LEVEL"),
      "trace, debug, info, warn, error or off (default info)")(
      "log-format", po::value(&format)->value_name("FORMAT"), "text or json (default text)")(
      "version", "print the version")("help", "print this");
  return described;
}

}  // namespace

Result<Options> parse_options(int argc, const char* const argv[]) {
  Options options;
  std::string format = "text";
  const po::options_description described = describe(options, format);
  po::variables_map values;
  try {
    po::store(po::command_line_parser(argc, argv)
                  .options(described)
                  .positional(po::positional_options_description())
                  .run(),
              values);
    po::notify(values);
  } catch (const po::error& error) {
    return Error{Code::kUsage, std::string(error.what()) + ": see rampartd --help"};
  }
  if (format != "text" && format != "json") {
    return Error{Code::kUsage, "--log-format: " + format + ": it is text or json"};
  }
  options.log_format = format == "json" ? log::Format::kJson : log::Format::kText;
  if (values.count("version") > 0) {
    options.print_and_exit = std::string("rampartd ") + kVersion + "\n";
  } else if (values.count("help") > 0) {
    std::ostringstream text;
    text << described;
    options.print_and_exit = text.str();
  }
  return options;
}

}  // namespace rampart::daemon
