/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Leaves what became of a packet, and why, for whoever asked. */
#ifndef RAMPART_BPF_EXPLAIN_H
#define RAMPART_BPF_EXPLAIN_H

#include "bpf/flowtable.h"
#include "maps/explained.bpf.h"

RP_INLINE void explain(enum rp_outcome out, const struct packet* pkt) {
  const __u32 zero = 0;
  struct rp_explanation* answer = bpf_map_lookup_elem(&rp_explained, &zero);
  struct rp_flow* flow = find_flow(pkt->tag);

  if (!answer) return;
  answer->word = flow ? read_word(flow, pkt->tag) : 0;
  answer->outcome = out;
  answer->vip = pkt->vip;
  answer->backend = pkt->backend;
  answer->slot = pkt->slot;
  answer->why = pkt->why;
  answer->cpu = bpf_get_smp_processor_id();
}

#endif /* RAMPART_BPF_EXPLAIN_H */
