// SPDX-License-Identifier: Apache-2.0
// The seam to the network: one check of one target. What is behind it opens sockets; what is before
// it decides when, and what an end means.
#ifndef RAMPART_USERSPACE_HEALTH_PROBE_H_
#define RAMPART_USERSPACE_HEALTH_PROBE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/ip.h"
#include "control/active_check.h"

namespace rampart::health {

// What is checked, and where (H7).
struct ProbeTarget {
  std::shared_ptr<const control::ActiveCheck> check;
  IpAddress address;
  uint16_t port = 0;
};

struct ProbeEnd {
  enum class Kind {
    kPassed,
    kTcpFailed,   // refused, unreachable, closed early, TLS failed, another answer to a datagram
    kHttpFailed,  // a bad status, or no HTTP
    kTimedOut,
    kUnjudged,  // a status in neither list
    kOwnFault,  // this process could not check: out of descriptors, memory, ports
  };
  Kind kind;
  std::string reason;  // for people: "http status 503", "connect: Connection refused"
};

// A check that is under way. Destroying it gives the check up; nothing is heard of it then.
class Probe {
 public:
  Probe() = default;
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  virtual ~Probe() = default;
};

class Prober {
 public:
  using Done = std::function<void(const ProbeEnd&)>;

  Prober() = default;
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;
  virtual ~Prober() = default;

  // Begins a check. `done` is called once, later, never from within start(); it may destroy the
  // probe.
  virtual std::unique_ptr<Probe> start(const ProbeTarget& target, Done done) = 0;
};

}  // namespace rampart::health

#endif  // RAMPART_USERSPACE_HEALTH_PROBE_H_
