/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Packets that each CPU answered itself in this second: resets and ICMP errors (W3, X5). */
#ifndef RAMPART_MAPS_ANSWERS_BPF_H
#define RAMPART_MAPS_ANSWERS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/values.h"

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct rp_answers);
} rp_answers SEC(".maps");

#endif /* RAMPART_MAPS_ANSWERS_BPF_H */
