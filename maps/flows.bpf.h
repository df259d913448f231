/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The flow table: buckets of entries (rampart/flows.h), memory-mapped, so that the daemon expires,
 * audits and lists without a system call for each flow. Only bpf/flowtable.h knows how it is used. */
#ifndef RAMPART_MAPS_FLOWS_BPF_H
#define RAMPART_MAPS_FLOWS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/flows.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, RP_FLOW_BUCKETS(1048576));
  __type(key, __u32);
  __type(value, struct rp_flow_bucket);
} rp_flows SEC(".maps");

#endif /* RAMPART_MAPS_FLOWS_BPF_H */
