/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Outcomes: counted, and turned into verdicts. Only the entry function does either (X10). */
#ifndef RAMPART_BPF_COUNT_H
#define RAMPART_BPF_COUNT_H

#include "bpf/backend.h"
#include "bpf/parse.h"
#include "maps/vip_stats.bpf.h"

RP_INLINE void count(enum rp_outcome out, const struct packet* pkt) {
  const __u32 number = pkt->vip;
  struct rp_vip_stats* stats = bpf_map_lookup_elem(&rp_vip_stats, &number);

  if (stats) stats->packets[out & (RP_OUTCOME_SLOTS - 1)]++;
  if (out == RP_forward_tx || out == RP_forward_redirect)
    count_sent(pkt->backend, pkt->frame_bytes);
}

RP_INLINE int rp_verdict(enum rp_outcome out) {
#define RP_OUTCOME_VERDICT(code, name, verdict, text) \
  if (out == RP_##name) return XDP_##verdict;
  RP_OUTCOMES(RP_OUTCOME_VERDICT)
#undef RP_OUTCOME_VERDICT
  return XDP_ABORTED; /* impossible: every way out is an outcome */
}

#endif /* RAMPART_BPF_COUNT_H */
