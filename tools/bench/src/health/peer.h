// SPDX-License-Identifier: Apache-2.0
// Whom the bench checks: one server on every address of 127.0.0.0/8, on a thread of its own, so that
// its work is not counted as that of the checks.
#ifndef RAMPART_TOOLS_BENCH_SRC_HEALTH_PEER_H_
#define RAMPART_TOOLS_BENCH_SRC_HEALTH_PEER_H_

#include <cstdint>
#include <thread>

#include "base/fd.h"
#include "control/active_check.h"

namespace rampart::bench {

class Peer {
 public:
  // REQUIRES: tcp or http.
  explicit Peer(control::CheckType type);
  ~Peer();
  uint16_t port() const { return port_; }

 private:
  void serve();

  control::CheckType type_;
  Fd socket_;
  uint16_t port_ = 0;
  std::jthread thread_;
};

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_HEALTH_PEER_H_
