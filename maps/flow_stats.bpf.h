/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What flows went through that no packet's outcome tells (F6, F8, F9). */
#ifndef RAMPART_MAPS_FLOW_STATS_BPF_H
#define RAMPART_MAPS_FLOW_STATS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/flows.h"

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct rp_flow_stats);
} rp_flow_stats SEC(".maps");

#endif /* RAMPART_MAPS_FLOW_STATS_BPF_H */
