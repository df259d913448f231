/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Where each CPU's walk over a roundrobin VIP's slot table stands, by VIP number. */
#ifndef RAMPART_MAPS_CURSORS_BPF_H
#define RAMPART_MAPS_CURSORS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/values.h"

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 513); /* as rp_vip_state */
  __type(key, __u32);
  __type(value, struct rp_cursor);
} rp_cursors SEC(".maps");

#endif /* RAMPART_MAPS_CURSORS_BPF_H */
