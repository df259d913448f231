// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/options.h"

#include <sstream>
#include <vector>

#include "bench/src/xdp/cases.h"

namespace rampart::bench {
namespace {

namespace options = boost::program_options;
using Names = std::vector<std::string>;

// "a,b c" and several of it: options may be repeated, and their values joined by commas.
Names names_in(const options::variables_map& given, const char* option) {
  Names names;
  if (!given.contains(option)) return names;
  for (const std::string& text : given[option].as<Names>()) {
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) names.push_back(word);
  }
  return names;
}

Result<std::vector<rp_forward>> forwards_in(const options::variables_map& given) {
  std::vector<rp_forward> forwards;
  for (const std::string& name : names_in(given, "forward")) {
    if (name != "l2" && name != "nat") {
      return Error{Code::kUsage, "--forward: '" + name + "' is neither l2 nor nat"};
    }
    forwards.push_back(name == "nat" ? RP_FORWARD_NAT : RP_FORWARD_L2);
  }
  return forwards;
}

Result<std::vector<rp_algorithm>> algorithms_in(const options::variables_map& given) {
  std::vector<rp_algorithm> algorithms;
  std::string known;
  for (const NamedAlgorithm& one : kAlgorithms) known += std::string(" ") + one.name;
  for (const std::string& name : names_in(given, "algorithm")) {
    const size_t before = algorithms.size();
    for (const NamedAlgorithm& one : kAlgorithms) {
      if (name == one.name) algorithms.push_back(one.algorithm);
    }
    if (algorithms.size() != before) continue;
    return Error{Code::kUsage, "--algorithm: no '" + name + "'; there are:" + known};
  }
  return algorithms;
}

Result<std::vector<uint32_t>> backends_in(const options::variables_map& given) {
  std::vector<uint32_t> backends;
  for (const std::string& text : names_in(given, "backends")) {
    constexpr uint32_t kMost = 10000;
    const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
    const uint64_t number = is_number && text.size() < 9 ? std::stoul("0" + text) : 0;
    if (number == 0 || number > kMost) {
      return Error{Code::kUsage, "--backends: '" + text + "' is not 1 to " + std::to_string(kMost)};
    }
    backends.push_back(static_cast<uint32_t>(number));
  }
  return backends;
}

}  // namespace

options::options_description known_options() {
  options::options_description known("Options");
  const auto names = [](const char* shape) {
    return options::value<Names>()->composing()->value_name(shape);
  };
  const auto number = [](uint32_t value) {
    return options::value<uint32_t>()->default_value(value);
  };
  known.add_options()("help,h", "")("list", "the cases, and what each is")  //
      ("cases", names("CASE,..."), "measure these only")                    //
      ("forward", names("FORWARD,..."), "l2, nat; default: both")           //
      ("algorithm", names("NAME,..."), "default: all there are")            //
      ("backends", names("N,..."), "of each VIP; default: 16,100")          //
      ("program", names("NAME=PIN"),
       "a pinned XDP program beside these, which serves "
       "10.200.1.1 tcp/80; may be repeated")                                          //
      ("rounds", number(9), "")("packets", number(200000), "of a run")                //
      ("output,o", options::value<std::string>()->default_value("table"), "or json")  //
      ("smoke", "one small round: does everything run?")                              //
      ("pin", options::value<std::string>()->value_name("DIR"),
       "measure nothing: load one configuration, pin it below DIR, a folder of a bpffs, and print "
       "the "
       "program's pin; default: l2, roundrobin, 100 backends")  //
      ("flows", number(1048576), "max_flows, with --pin");
  return known;
}

Result<Options> options_of(const options::variables_map& given) {
  Options wanted;
  const auto forwards = forwards_in(given);
  if (!forwards) return forwards.error();
  const auto algorithms = algorithms_in(given);
  if (!algorithms) return algorithms.error();
  const auto backends = backends_in(given);
  if (!backends) return backends.error();
  const auto cases = cases_named(names_in(given, "cases"));
  if (!cases) return cases.error();
  wanted.output = given["output"].as<std::string>();
  if (wanted.output != "table" && wanted.output != "json") {
    return Error{Code::kUsage, "-o: '" + wanted.output + "' is neither table nor json"};
  }
  wanted.is_smoke = given.contains("smoke");
  wanted.max_flows = given["flows"].as<uint32_t>();
  wanted.effort = {.rounds = given["rounds"].as<uint32_t>(),
                   .packets = given["packets"].as<uint32_t>()};
  // Fewer than there are numbers of new flows: within a run none comes twice.
  constexpr uint32_t kMostPackets = 4000000;
  if (wanted.effort.packets == 0 || wanted.effort.packets > kMostPackets) {
    return Error{Code::kUsage, "--packets: not 1 to " + std::to_string(kMostPackets)};
  }
  if (wanted.effort.rounds == 0) return Error{Code::kUsage, "--rounds: not at least 1"};
  wanted.selection = {.forwards = *forwards,
                      .algorithms = *algorithms,
                      .backends = *backends,
                      .programs = names_in(given, "program"),
                      .cases = *cases,
                      .packets = wanted.effort.packets};
  return wanted;
}

}  // namespace rampart::bench
