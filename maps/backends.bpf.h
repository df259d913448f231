/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a backend id stands for. Memory-mapped: next hop and state are single words that change. */
#ifndef RAMPART_MAPS_BACKENDS_BPF_H
#define RAMPART_MAPS_BACKENDS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/values.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 4097); /* max_backends, and id 0 for none */
  __type(key, __u32);
  __type(value, struct rp_backend);
} rp_backends SEC(".maps");

#endif /* RAMPART_MAPS_BACKENDS_BPF_H */
