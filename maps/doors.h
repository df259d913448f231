// SPDX-License-Identifier: Apache-2.0
// Every map of an instance, opened and typed. README.md tells what each is for.
//
// The doors are opened from the pins, not from the loaded object: a reader of the pins (a tool, a
// daemon that adopts them) needs no object, and there is one way in.
#ifndef RAMPART_MAPS_DOORS_H_
#define RAMPART_MAPS_DOORS_H_

#include <string>

#include "base/result.h"
#include "maps/flows.h"
#include "maps/typed_map.h"
#include "rampart/keys.h"
#include "rampart/stats.h"
#include "rampart/values.h"

namespace rampart::maps {

struct Doors {
  HashMap<rp_vip_key, rp_vip> vips;
  MappedArray<rp_vip_state> vip_state;
  Fd slots;    // outer map: see slot_tables.h
  Fd members;  // outer map: see member_tables.h
  MappedArray<rp_backend> backends;
  MappedArray<rp_port> ports;
  FlowTable flows;
  PerCpuArray<rp_flow_stats> flow_stats;
  MappedArray<rp_flow_count> flow_counts;
  PerCpuArray<rp_vip_stats> vip_stats;
  PerCpuArray<rp_backend_stats> backend_stats;
  MappedArray<rp_runtime> runtime;
  Fd unresolved;  // queue of rp_addr

  // Opens the maps pinned in `folder` (…/INSTANCE/vABI).
  static Result<Doors> open(const std::string& folder);
};

// The counters of one backend id, summed over CPUs.
Result<rp_backend_stats> sum_backend_stats(const Doors& doors, uint32_t id);
Result<rp_flow_stats> sum_flow_stats(const Doors& doors);
// The counters of one VIP number, summed over CPUs.
Result<rp_vip_stats> sum_vip_stats(const Doors& doors, uint32_t number);

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_DOORS_H_
