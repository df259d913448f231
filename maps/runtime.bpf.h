/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Switches that change while programs run. */
#ifndef RAMPART_MAPS_RUNTIME_BPF_H
#define RAMPART_MAPS_RUNTIME_BPF_H

#include "maps/map.bpf.h"
#include "rampart/values.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct rp_runtime);
} rp_runtime SEC(".maps");

#endif /* RAMPART_MAPS_RUNTIME_BPF_H */
