// SPDX-License-Identifier: Apache-2.0
// A data plane with a configuration of its own, made by the daemon's own modules: the object is loaded,
// the controller writes the maps. No daemon, no interface; packets come by BPF_PROG_TEST_RUN.
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_PINNED_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_PINNED_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "control/config.h"
#include "dataplane/object.h"
#include "maps/kernel_map_store.h"
#include "rampart/outcomes.h"

namespace rampart::bench {

// Where forwarded frames go.
struct WayOut {
  uint32_t ifindex = 1;  // the loopback interface: by it packets of BPF_PROG_TEST_RUN come in
  uint64_t source = 0x020000000001;  // MAC addresses, as rp_port has them
  uint64_t neighbour = 0x020000000002;
};

struct Setting {
  rp_forward forward = RP_FORWARD_L2;
  rp_algorithm algorithm = RP_ROUNDROBIN;
  uint32_t backends = 100;
  uint32_t max_flows = 1048576;
  uint32_t new_flow_limit_per_cpu = 0;  // 0 = none
  WayOut way_out = {};                  // of all backends
};

// VIPs 10.200.1.1 tcp/80 and udp/80, each with the setting's backends. What comes in where it goes out
// is sent by XDP_TX, else by a redirect.
control::Config config_of(const Setting& setting);

// Writes the maps that are pinned in `folder`, of an instance that was loaded just now.
Result<std::unique_ptr<maps::KernelMapStore>> configure(const std::string& folder,
                                                        const maps::InnerMapTypes& types,
                                                        const Setting& setting);

struct Pinned {
  std::unique_ptr<dataplane::Object> object;
  std::unique_ptr<maps::KernelMapStore> store;
  uint64_t map_bytes = 0;  // of all its maps, as the kernel counts them
};

// Bytes that the kernel charges for a map: the line "memlock:" of its descriptor.
uint64_t memory_of(int map_fd);

// PIN_PATH of instances that are pinned for as long as it takes to open them.
std::string passing_folder();
void remove_passing();

// Loads, pins below `folder` and configures. An error if something is pinned there already.
Result<Pinned> pin(const std::string& folder, const Setting& setting);
// The same below a folder of the BPF file system that is gone when this returns.
Result<Pinned> pin_for_now(const Setting& setting);

// What it counted since it was loaded, over all VIPs and backends.
struct Counts {
  std::array<uint64_t, RP_OUTCOME_SLOTS> packets = {};  // by outcome
  uint64_t flows_begun = 0;
};
Result<Counts> counts_of(const Pinned& pinned);

// A pass of the daemon's sweep: the live flows that it met, and its CPU time.
struct Pass {
  uint64_t flows = 0;
  double milliseconds = 0;
};
Pass sweep_once(Pinned& pinned);

// Expires every flow that saw one packet only, and sweeps the table. No packet may run meanwhile.
void forget_new_flows(Pinned& pinned);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_PINNED_H_
