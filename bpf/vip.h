/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Is the packet for a VIP, and for which? */
#ifndef RAMPART_BPF_VIP_H
#define RAMPART_BPF_VIP_H

#include "bpf/parse.h"
#include "maps/vip_state.bpf.h"
#include "maps/vips.bpf.h"

/* Sets pkt->vip; false if no VIP has this address, port and protocol. */
RP_INLINE bool find_vip(struct packet* pkt) {
  const struct rp_vip_key key = {
      .address = pkt->tuple.destination,
      .port = pkt->tuple.destination_port,
      .protocol = pkt->tuple.protocol,
  };
  const struct rp_vip* vip = bpf_map_lookup_elem(&rp_vips, &key);

  if (!vip) return false;
  pkt->vip = vip->number;
  return true;
}

/* NULL if the number is not in use, which is impossible while a key names it. */
RP_INLINE const struct rp_vip_state* vip_state(__u32 number) {
  const struct rp_vip_state* state = bpf_map_lookup_elem(&rp_vip_state, &number);

  if (!state || !state->table_size) return NULL;
  return state;
}

#endif /* RAMPART_BPF_VIP_H */
