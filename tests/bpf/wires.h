// SPDX-License-Identifier: Apache-2.0
// Interfaces, routes and neighbours for bpf_fib_lookup(), in a network namespace of their own.
//
//   198.51.100.7 ── "client" (198.51.100.1/24)  us  "servers" (192.0.2.254/24) ── backends
//
// The client's neighbour entry is permanent; 198.51.100.9 is on the same link and has none.
// 10.0.0.0/8 goes by the gateway 198.51.100.254, which has none either.
#ifndef RAMPART_TESTS_BPF_WIRES_H_
#define RAMPART_TESTS_BPF_WIRES_H_

#include <cstdint>

#include "bpf/packet.h"

namespace rampart::bpf_test {

class Wires {
 public:
  // Moves the calling thread to a new network namespace; throws where that is not allowed.
  Wires();

  uint32_t client() const { return client_; }  // interface indices
  uint32_t servers() const { return servers_; }
  Mac client_side_mac() const { return client_side_mac_; }

 private:
  uint32_t client_ = 0;
  uint32_t servers_ = 0;
  Mac client_side_mac_ = {};
};

}  // namespace rampart::bpf_test

#endif  // RAMPART_TESTS_BPF_WIRES_H_
