/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What was sent to each backend, by id. */
#ifndef RAMPART_MAPS_BACKEND_STATS_BPF_H
#define RAMPART_MAPS_BACKEND_STATS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/stats.h"

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 4097); /* as rp_backends */
  __type(key, __u32);
  __type(value, struct rp_backend_stats);
} rp_stats SEC(".maps");

#endif /* RAMPART_MAPS_BACKEND_STATS_BPF_H */
