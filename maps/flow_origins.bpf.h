/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Who began the flow, by place in rp_flows. Touched by creation and listing only. */
#ifndef RAMPART_MAPS_FLOW_ORIGINS_BPF_H
#define RAMPART_MAPS_FLOW_ORIGINS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/flows.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, RP_FLOW_BUCKETS(1048576) * RP_BUCKET_FLOWS);
  __type(key, __u32);
  __type(value, struct rp_flow_origin);
} rp_flow_origins SEC(".maps");

#endif /* RAMPART_MAPS_FLOW_ORIGINS_BPF_H */
