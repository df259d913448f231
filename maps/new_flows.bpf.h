/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Flow entries that each CPU made in this second (F9). */
#ifndef RAMPART_MAPS_NEW_FLOWS_BPF_H
#define RAMPART_MAPS_NEW_FLOWS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/values.h"

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct rp_new_flows);
} rp_new_flows SEC(".maps");

#endif /* RAMPART_MAPS_NEW_FLOWS_BPF_H */
