// SPDX-License-Identifier: Apache-2.0
// The ruler: runs a program under test on packets made afresh (replay.bpf.c) and tells what one cost.
//
// Time is the CPU time of this thread: what other processes took of the processor does not count,
// what they took of its caches does. The system call around a run adds some microseconds.
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_REPLAY_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_REPLAY_H_

#include <array>
#include <cstdint>
#include <memory>

#include "base/result.h"

namespace rampart::bench {

constexpr uint32_t kFrameBytes = 64;
using Frame = std::array<uint8_t, kFrameBytes>;

// In which order flows come. Both orders visit each of 2^k flows once in any 2^k packets. Scattered, no
// prefetcher guesses the next one; which is true only of flows that did not begin in that very order,
// because a table's entries lie in the order in which they were made.
enum class Order { kScattered, kInTurn };

// Packets that differ in flow alone.
struct Stream {
  Frame frame = {};
  uint32_t first_flow = 0;
  uint32_t flows = 1;  // a power of two
  Order order = Order::kScattered;
};

struct Cost {
  double nanoseconds = 0;  // of one packet, with what the replay itself takes
  uint32_t verdict = 0;    // of the last packet
};

class Replay {
 public:
  // Loads, and moves the process into a network namespace of its own, where the program is attached
  // to the loopback interface: the kernel then keeps its XDP dispatcher as it is, instead of patching
  // it before and after each run under grace periods.
  static Result<std::unique_ptr<Replay>> load();
  ~Replay();
  Replay(const Replay&) = delete;

  // Programs of the ruler itself.
  int at_once() const;  // returns at once: what it costs is to be subtracted
  int bare() const;     // the least that a forwarder does

  // Makes a program the one that the following runs measure.
  Result<void> aim_at(int program_fd);
  // Sends packets of the stream, going on in its flows where the former run ended.
  Result<Cost> run(const Stream& stream, uint32_t packets);

 private:
  struct Skeletons;
  explicit Replay(std::unique_ptr<Skeletons> skeletons);

  std::unique_ptr<Skeletons> skeletons_;
  int target_ = -1;
};

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_REPLAY_H_
