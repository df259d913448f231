// SPDX-License-Identifier: Apache-2.0
// What the command line asks for, as values.
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_OPTIONS_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_OPTIONS_H_

#include <boost/program_options.hpp>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "bench/src/xdp/measure.h"
#include "bench/src/xdp/subjects.h"

namespace rampart::bench {

struct Options {
  Selection selection;  // what was named; empty lists mean all
  Effort effort;
  uint32_t max_flows = 0;  // for --pin
  bool is_smoke = false;
  std::string output;
};

boost::program_options::options_description known_options();
Result<Options> options_of(const boost::program_options::variables_map& given);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_OPTIONS_H_
