// SPDX-License-Identifier: Apache-2.0
// A data plane with a configuration of its own, made by the daemon's own modules: the object is loaded,
// the controller writes the maps. No daemon, no interface; packets come by BPF_PROG_TEST_RUN.
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_PINNED_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_PINNED_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "control/config.h"
#include "dataplane/object.h"
#include "maps/kernel_map_store.h"

namespace rampart::bench {

struct Setting {
  rp_forward forward = RP_FORWARD_L2;
  rp_algorithm algorithm = RP_ROUNDROBIN;
  uint32_t backends = 100;
  uint32_t max_flows = 1048576;
};

// VIPs 10.200.1.1 tcp/80 and udp/80, each with the setting's backends, reached out of the loopback
// interface: by it packets of BPF_PROG_TEST_RUN come in, so they are sent by XDP_TX.
control::Config config_of(const Setting& setting);

struct Pinned {
  std::unique_ptr<dataplane::Object> object;
  std::unique_ptr<maps::KernelMapStore> store;
};

// Loads, pins below `folder` and configures. An error if something is pinned there already.
Result<Pinned> pin(const std::string& folder, const Setting& setting);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_PINNED_H_
