/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Where rampart_explain leaves its answer. */
#ifndef RAMPART_MAPS_EXPLAINED_BPF_H
#define RAMPART_MAPS_EXPLAINED_BPF_H

#include "maps/map.bpf.h"
#include "rampart/explanation.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct rp_explanation);
} rp_explained SEC(".maps");

#endif /* RAMPART_MAPS_EXPLAINED_BPF_H */
