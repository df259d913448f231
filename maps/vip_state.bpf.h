/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a VIP number stands for. Memory-mapped: the daemon changes single words while programs read.
 */
#ifndef RAMPART_MAPS_VIP_STATE_BPF_H
#define RAMPART_MAPS_VIP_STATE_BPF_H

#include "maps/map.bpf.h"
#include "rampart/values.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 513); /* max_vips, and number 0 for none */
  __type(key, __u32);
  __type(value, struct rp_vip_state);
} rp_vip_state SEC(".maps");

#endif /* RAMPART_MAPS_VIP_STATE_BPF_H */
