/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Flows opened and closed, by count index (B2). As many as backend ids: each id may have its own.
 */
#ifndef RAMPART_MAPS_FLOW_COUNTS_BPF_H
#define RAMPART_MAPS_FLOW_COUNTS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/values.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 4097); /* as rp_backends */
  __type(key, __u32);
  __type(value, struct rp_flow_count);
} rp_flow_counts SEC(".maps");

#endif /* RAMPART_MAPS_FLOW_COUNTS_BPF_H */
