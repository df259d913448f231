// SPDX-License-Identifier: Apache-2.0
// The sweep: looks at every entry of the flow table, frees those that are not live and gives their
// counts back (F6, F7), and audits the counts. By the same rules and the same compare-and-swap as the
// packet path (bpf/flow_word.h, bpf/flowtable.h), so packets may use the table meanwhile, and no
// expiry needs traffic.
//
// It runs in steps, so that the control thread is never away for long: a pass over 1 M flows reads
// about 40 MB.
#ifndef RAMPART_USERSPACE_DATAPLANE_FLOW_SWEEPER_H_
#define RAMPART_USERSPACE_DATAPLANE_FLOW_SWEEPER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/flow_audit.h"
#include "maps/doors.h"
#include "maps/flows.h"
#include "maps/typed_map.h"
#include "rampart/values.h"

namespace rampart::dataplane {

// What a pass found.
struct Sweep {
  uint64_t seen = 0;     // entries in use, reply entries included
  uint64_t live = 0;     // of these: neither expired nor stale, and so left alone
  uint64_t removed = 0;  // of these: freed; the others changed while they were looked at
  uint64_t drift = 0;    // by which counts differed from the table, and were corrected (F6)
};

// Thread-safety: none; one sweeper for a table (O7).
class FlowSweeper {
 public:
  // What it is given outlives it.
  FlowSweeper(maps::FlowTable& flows, const maps::MappedArray<rp_backend>& backends,
              const maps::MappedArray<rp_vip_state>& vips,
              maps::MappedArray<rp_flow_count>& counts);
  explicit FlowSweeper(maps::Doors& doors);

  // The flows' clock (bpf/clock.h), in seconds.
  static uint32_t now();

  // Is a pass under way?
  bool running() const { return next_ != 0; }
  // Looks at the next `places` entries, as of `now`. Returns what the pass found, if it ended.
  std::optional<Sweep> step(uint32_t places, uint32_t now);
  // A whole pass. REQUIRES: none is running.
  Sweep pass(uint32_t now);

 private:
  void begin(uint32_t now);
  void audit();
  void look_at(uint32_t place, uint32_t now);
  // NULL if the word holds no flow, or one that is expired or stale.
  const rp_backend* backend_if_live(uint64_t word, uint32_t now) const;
  bool free(uint32_t place, uint64_t word);

  maps::FlowTable& flows_;
  const maps::MappedArray<rp_backend>& backends_;
  const maps::MappedArray<rp_vip_state>& vips_;
  maps::MappedArray<rp_flow_count>& counts_;

  // A pass audits if it began in another second than the last that did: what a CPU that is stopped in
  // the middle of a change leaves amiss for a moment must not be seen three times over.
  std::optional<uint32_t> last_audit_;

  // The pass under way.
  bool is_audit_ = false;
  uint32_t next_ = 0;
  Sweep found_;
  std::vector<rp_flow_count> before_;  // by count index
  std::vector<uint64_t> met_;          // entries that hold a count, by its index
  std::vector<FlowAudit> audits_;      // by count index, over all passes
};

}  // namespace rampart::dataplane

#endif  // RAMPART_USERSPACE_DATAPLANE_FLOW_SWEEPER_H_
