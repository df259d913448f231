// SPDX-License-Identifier: Apache-2.0
// Asks the packet program what would become of a packet. The program's second entry takes the same
// steps over the same maps with effects off (bpf/effects.h), so that no counter, cursor or flow
// changes, and the answer is the program's own, not a second opinion.
#ifndef RAMPART_USERSPACE_DATAPLANE_EXPLAINER_H_
#define RAMPART_USERSPACE_DATAPLANE_EXPLAINER_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "base/ip.h"
#include "base/result.h"
#include "dataplane/object.h"
#include "maps/typed_map.h"
#include "rampart/explanation.h"
#include "rampart/outcomes.h"
#include "rampart/values.h"

namespace rampart::dataplane {

struct Skeleton;

// A packet that nobody sent: the first of a TCP connection, or a UDP datagram.
struct Probe {
  IpAddress client;
  uint16_t client_port = 0;
  IpAddress vip;
  uint16_t vip_port = 0;
  uint8_t protocol = 0;
  uint32_t ifindex = 0;  // the interface that it comes in by; of this network namespace
};

// The entry that the packet's flow has.
struct KnownFlow {
  enum class Backend {
    kThere,
    kGone,  // freed, or its id handed out again (F3)
    kLeft,  // down or in maintenance, so that its flows choose anew (F3)
  };
  uint32_t state = 0;  // enum rp_flow_state
  uint32_t idle_seconds = 0;
  Backend backend = Backend::kThere;
};

struct Explanation {
  rp_outcome outcome = RP_GO_ON;
  uint32_t backend = 0;  // id; 0 if none was chosen
  uint32_t slot = 0;
  uint32_t why = 0;  // RP_WHY_*
  uint32_t cpu = 0;  // that was asked: cursors are per CPU
  std::optional<KnownFlow> flow;
};

// Thread-safety: none; one answer at a time.
class Explainer {
 public:
  // Loads the second entry, which takes as long as loading the first. REQUIRES: an Object with the
  // same options is loaded.
  static Result<std::unique_ptr<Explainer>> load(const ObjectOptions& options);
  ~Explainer();
  Explainer(const Explainer&) = delete;
  Explainer& operator=(const Explainer&) = delete;

  // REQUIRES: both addresses are IPv4.
  Result<Explanation> ask(const Probe& probe, const maps::MappedArray<rp_backend>& backends) const;

 private:
  explicit Explainer(std::unique_ptr<Skeleton> skeleton);
  std::unique_ptr<Skeleton> skeleton_;
};

}  // namespace rampart::dataplane

#endif  // RAMPART_USERSPACE_DATAPLANE_EXPLAINER_H_
