/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Packets by VIP number and outcome (X10). Number 0 counts what no VIP is known for. */
#ifndef RAMPART_MAPS_VIP_STATS_BPF_H
#define RAMPART_MAPS_VIP_STATS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/stats.h"

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 513); /* as rp_vip_state */
  __type(key, __u32);
  __type(value, struct rp_vip_stats);
} rp_vip_stats SEC(".maps");

#endif /* RAMPART_MAPS_VIP_STATS_BPF_H */
