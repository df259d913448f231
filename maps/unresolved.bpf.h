/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Next hops towards clients that replies found unresolved: the daemon takes them out and has the
 * kernel resolve them (X2). When it is full the oldest gives way: its packet will come again. */
#ifndef RAMPART_MAPS_UNRESOLVED_BPF_H
#define RAMPART_MAPS_UNRESOLVED_BPF_H

#include "maps/map.bpf.h"
#include "rampart/addr.h"
#include "rampart/limits.h"

struct {
  __uint(type, BPF_MAP_TYPE_QUEUE);
  __uint(max_entries, RP_UNRESOLVED_QUEUE);
  __type(value, struct rp_addr);
} rp_unresolved SEC(".maps");

#endif /* RAMPART_MAPS_UNRESOLVED_BPF_H */
