// SPDX-License-Identifier: Apache-2.0
// Who forwards from vla to vlb. One at a time: each is put in place before its run and taken away after.
#ifndef RAMPART_TOOLS_BENCH_SRC_VETH_CONTESTANTS_H_
#define RAMPART_TOOLS_BENCH_SRC_VETH_CONTESTANTS_H_

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/src/veth/bed.h"

namespace rampart::bench {

constexpr char kRampart[] = "rampart";    // l2: MAC addresses, and a redirect
constexpr char kNetdev[] = "nft_netdev";  // the same by nftables, before the IP stack
constexpr char kDnat[] = "nft_dnat";      // nftables' NAT with conntrack, and IP forwarding

struct Contestant {
  std::string name;
  std::function<Result<void>()> put;
  std::function<Result<void>()> take_away;
  Arrival arrival;
};

// Addresses of so many backends, as the packet path is configured with them.
std::vector<std::string> backend_addresses(uint32_t count);

// All of them. REQUIRES: `bed` was made with these backends, and outlives them.
Result<std::vector<Contestant>> make_contestants(const Bed& bed,
                                                 const std::vector<std::string>& backends);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_VETH_CONTESTANTS_H_
