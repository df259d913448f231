// SPDX-License-Identifier: Apache-2.0
// The wire that all contestants forward over:
//
//   sender            balancer                 receiver
//   va ──────────── vla   vlb ──────────────── vb
//   10.1.0.1/24      .254   10.201.255.254/16   (no address: the sink drops)
//
// The receiver's interface has all backends' addresses as far as the balancer can tell: permanent
// neighbours. vla has GRO on, without which a veth takes no XDP frames unless a program is attached to
// it; for contestants that forward in the kernel that is the cheapest way in.
#ifndef RAMPART_TOOLS_BENCH_SRC_VETH_BED_H_
#define RAMPART_TOOLS_BENCH_SRC_VETH_BED_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/src/veth/namespace.h"

struct wire_bpf;

namespace rampart::bench {

constexpr char kVip[] = "10.200.1.1";  // udp/80
constexpr char kVlbMac[] = "02:00:00:00:0b:01";
constexpr char kVbMac[] = "02:00:00:00:0b:02";

// What has to arrive, whatever the contestant does with the destination address.
struct Arrival {
  std::string address = kVip;
  std::string netmask = "255.255.255.255";
};

class Bed {
 public:
  // The calling thread is in the sender's namespace from then on.
  static Result<std::unique_ptr<Bed>> make(const std::vector<std::string>& backends);
  ~Bed();
  Bed(const Bed&) = delete;

  const Namespace& balancer() const { return balancer_; }
  uint32_t vla() const { return vla_; }  // interface indices in the balancer
  uint32_t vlb() const { return vlb_; }

  // Sends so many frames of so many flows (a power of two) and waits for them. Returns millions a
  // second, from the first sent to the last received. An error if one was lost or arrived wrong.
  Result<double> send(uint32_t frames, uint32_t flows, const Arrival& arrival);

 private:
  Bed(Namespace sender, Namespace balancer, Namespace receiver);
  Result<void> lay_out(const std::vector<std::string>& backends);
  Result<void> load();
  Result<void> attach_sink();

  Namespace sender_, balancer_, receiver_;
  wire_bpf* wire_ = nullptr;
  uint32_t va_ = 0, vla_ = 0, vlb_ = 0;
};

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_VETH_BED_H_
