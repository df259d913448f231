// SPDX-License-Identifier: Apache-2.0
// bench_xdp: what the packet path costs (tools/bench/xdp).
#include <bpf/bpf.h>
#include <unistd.h>

#include <boost/program_options.hpp>
#include <cerrno>
#include <iostream>
#include <string>

#include "bench/src/xdp/pinned.h"

namespace rampart::bench {
namespace {

namespace options = boost::program_options;

Result<Setting> setting_of(const options::variables_map& given) {
  Setting setting;
  const std::string forward = given["forward"].as<std::string>();
  const std::string algorithm = given["algorithm"].as<std::string>();
  if (forward == "nat") {
    setting.forward = RP_FORWARD_NAT;
  } else if (forward != "l2") {
    return Error{Code::kUsage, "--forward: '" + forward + "' is neither l2 nor nat"};
  }
  if (algorithm == "chash") {
    setting.algorithm = RP_CHASH;
  } else if (algorithm != "roundrobin") {
    return Error{Code::kUsage, "--algorithm: '" + algorithm + "' is neither roundrobin nor chash"};
  }
  setting.backends = given["backends"].as<uint32_t>();
  setting.max_flows = given["flows"].as<uint32_t>();
  return setting;
}

// The program at DIR/prog, so that a ruler need not know about versions.
Result<void> pin_for_rulers(const std::string& folder, const Setting& setting) {
  const auto pinned = pin(folder, setting);
  if (!pinned) return pinned.error();
  const std::string program = folder + "/prog";
  unlink(program.c_str());
  if (bpf_obj_pin(pinned->object->program_fd(), program.c_str()) != 0) {
    return system_error("pin " + program, errno);
  }
  std::cout << program << "\n";
  return {};
}

int main(int argc, char** argv) {
  options::options_description known("Options");
  const auto text = [](const char* name) {
    return options::value<std::string>()->default_value(name);
  };
  const auto number = [](uint32_t value) {
    return options::value<uint32_t>()->default_value(value);
  };
  known.add_options()("help,h", "")  //
      ("pin", options::value<std::string>()->value_name("DIR"),
       "load and pin below DIR, a folder of a bpffs; prints the program's pin")  //
      ("forward", text("l2"), "l2 or nat")                                       //
      ("algorithm", text("roundrobin"), "roundrobin or chash")                   //
      ("backends", number(100), "of each VIP")                                   //
      ("flows", number(1048576), "max_flows");
  options::variables_map given;
  try {
    options::store(options::parse_command_line(argc, argv, known), given);
  } catch (const options::error& wrong) {
    std::cerr << "bench_xdp: " << wrong.what() << "\n";
    return 2;
  }
  if (given.contains("help") || !given.contains("pin")) {
    (given.contains("help") ? std::cout : std::cerr) << known;
    return given.contains("help") ? 0 : 2;
  }
  const auto setting = setting_of(given);
  const auto done = setting ? pin_for_rulers(given["pin"].as<std::string>(), *setting)
                            : Result<void>(setting.error());
  if (done) return 0;
  std::cerr << "bench_xdp: " << done.error().text << "\n";
  return done.error().code == Code::kUsage ? 2 : 1;
}

}  // namespace
}  // namespace rampart::bench

int main(int argc, char** argv) {
  return rampart::bench::main(argc, argv);
}
