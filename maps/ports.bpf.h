/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Egress interfaces, by the port index that next hops carry. */
#ifndef RAMPART_MAPS_PORTS_BPF_H
#define RAMPART_MAPS_PORTS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/limits.h"
#include "rampart/values.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, RP_MAX_PORTS);
  __type(key, __u32);
  __type(value, struct rp_port);
} rp_ports SEC(".maps");

#endif /* RAMPART_MAPS_PORTS_BPF_H */
