/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Whose turn it is: each CPU's cursor of a VIP, in its slot table (roundrobin) or among its members
 * (least_conn). */
#ifndef RAMPART_BPF_TURNS_H
#define RAMPART_BPF_TURNS_H

#include "bpf/effects.h"
#include "maps/cursors.bpf.h"

/* NULL for a number beyond the map, which is impossible. */
RP_INLINE struct rp_cursor* cursor_of_vip(__u32 number) {
  return bpf_map_lookup_elem(&rp_cursors, &number);
}

RP_INLINE void move_cursor(struct rp_cursor* cursor, __u32 next) {
  if (!has_effects()) return;
  cursor->next = next;
  cursor->started = 1;
}

#endif /* RAMPART_BPF_TURNS_H */
