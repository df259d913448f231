/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The slot tables: by VIP number, an inner array of blocks that holds both halves
 * (rampart/slots.h). BPF_F_INNER_MAP lets inner arrays differ in size; the prototype's one block is
 * a placeholder. */
#ifndef RAMPART_MAPS_SLOT_TABLES_BPF_H
#define RAMPART_MAPS_SLOT_TABLES_BPF_H

#include "maps/map.bpf.h"
#include "rampart/slots.h"

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
        __uint(value_size, sizeof(struct rp_slot_block)); /* clang leaves a type here undefined */
      });
} rp_slots SEC(".maps");

#endif /* RAMPART_MAPS_SLOT_TABLES_BPF_H */
