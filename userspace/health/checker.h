// SPDX-License-Identifier: Apache-2.0
// Active checks of all targets, on the event loop of the control thread (H1–H8).
//
// The daemon gives it the whole set of checked scopes whenever that may have changed: after every
// accepted configuration and every discovery event. It is told of verdicts, also the first one of a
// target, and passes them to the engine. The checker finds out by itself what goes on, what is new
// and what is gone (target_table.h).
//
// What a check costs (tools/bench/health, on loopback, where the target's side of TCP is paid for,
// too; the lower figure with least else to do, the upper on a machine that is fully busy): tcp 40 to
// 65 µs of CPU time and nine system calls, so 4,096 targets checked every second take a sixth to a
// quarter of a processor; http 60 to 80 µs; https a handshake on top, some hundreds of µs.
//
// Thread-safety: none; all calls, and all callbacks, on the thread that runs `io`.
#ifndef RAMPART_USERSPACE_HEALTH_CHECKER_H_
#define RAMPART_USERSPACE_HEALTH_CHECKER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "health/checked_scope.h"
#include "health/probe.h"
#include "health/target_table.h"

namespace boost::asio {
class io_context;
}

namespace rampart::health {

// Checks under way at once, of all scopes: half of 1,024, the descriptors that a process usually may
// have. A check that runs into its timeout of a second holds one for so long, one that is answered
// for less than a millisecond.
inline constexpr size_t kMostUnderWay = 512;

class Checker {
 public:
  // Both may call set_targets(), and may destroy the checker.
  struct Callbacks {
    std::function<void(const VerdictChange&)> on_verdict;
    // Checks cannot be made, and no verdict comes of that: this process lacks descriptors, memory or
    // ports. Said once, and again only when it returns after a minute without.
    std::function<void(const std::string&)> on_fault;
  };

  // REQUIRES: `io` outlives it.
  Checker(boost::asio::io_context& io, std::unique_ptr<Prober> prober, Callbacks callbacks);
  // Checks that are under way are given up; nothing is called from here on.
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // The whole new set, empty at first. What is listed as before goes on as it is (H3); what is gone
  // reports nothing any more. REQUIRES: scope ids are unique.
  void set_targets(const std::vector<CheckedScope>& scopes);

  // As TargetTable has it: of the verdict nobody is told, since whoever says so knows.
  void take_down(const ScopeId& scope, const Identity& identity);

  struct Figures {
    size_t targets = 0;
    size_t under_way = 0;
    size_t waiting = 0;         // due, and held back by a bound
    uint64_t started = 0;       // checks, since the beginning
    Duration largest_delay{0};  // from when a check was due to when it began
  };
  Figures figures() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rampart::health

#endif  // RAMPART_USERSPACE_HEALTH_CHECKER_H_
