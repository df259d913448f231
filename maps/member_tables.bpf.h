/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The members of least_conn VIPs: by VIP number, an inner array of blocks that holds both halves
 * (rampart/members.h). Shaped like rp_slots. */
#ifndef RAMPART_MAPS_MEMBER_TABLES_BPF_H
#define RAMPART_MAPS_MEMBER_TABLES_BPF_H

#include "maps/map.bpf.h"
#include "rampart/members.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, 513); /* as rp_vip_state */
  __type(key, __u32);
  __array(
      values, struct {
        __uint(type, BPF_MAP_TYPE_ARRAY);
        __uint(map_flags, BPF_F_MMAPABLE | BPF_F_INNER_MAP);
        __uint(max_entries, 1);
        __uint(key_size, sizeof(__u32));
        __uint(value_size, sizeof(struct rp_member_block)); /* as in rp_slots */
      });
} rp_members SEC(".maps");

#endif /* RAMPART_MAPS_MEMBER_TABLES_BPF_H */
