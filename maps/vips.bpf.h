/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What clients address: address, port and protocol to a VIP number. An entry is never overwritten
 * (publishing rule, rampart/values.h): what the number stands for lies in rp_vip_state. */
#ifndef RAMPART_MAPS_VIPS_BPF_H
#define RAMPART_MAPS_VIPS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/keys.h"
#include "rampart/values.h"

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 512);
  __type(key, struct rp_vip_key);
  __type(value, struct rp_vip);
} rp_vips SEC(".maps");

#endif /* RAMPART_MAPS_VIPS_BPF_H */
