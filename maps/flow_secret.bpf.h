/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The key of flow tags (F12). It outlives programs and daemons with its table, so that an upgrade keeps
 * every flow; whoever reads it can steer into another client's flow, so nothing exports it. */
#ifndef RAMPART_MAPS_FLOW_SECRET_BPF_H
#define RAMPART_MAPS_FLOW_SECRET_BPF_H

#include "maps/map.bpf.h"
#include "rampart/flows.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_RDONLY_PROG);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct rp_flow_secret);
} rp_flow_secret SEC(".maps");

#endif /* RAMPART_MAPS_FLOW_SECRET_BPF_H */
