/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The yardstick: the packet path with its flows in the kernel's LRU_HASH. Takes the place of
 * bpf/choose.h when rampart.bpf.c is compiled for the bench; everything else, the words of flows and
 * their counts included, is the same. What the kernel evicts keeps its count, which is one reason why
 * it is only a yardstick. No nat. */
#ifndef RAMPART_BPF_CHOOSE_H
#define RAMPART_BPF_CHOOSE_H

#include "bpf/clock.h"
#include "bpf/flow_change.h"
#include "bpf/load_config.h"
#include "bpf/select.h"

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 1);
  __type(key, struct rp_tuple);
  __type(value, struct rp_flow);
} rp_lru SEC(".maps");

RP_INLINE __u64 own_word(const struct packet* pkt) {
  return make_word(pkt->backend, pkt->incarnation, first_state(pkt), pkt->now);
}

static __noinline enum rp_outcome keep_flow(struct rp_flow* flow, __u64 word, struct packet* pkt) {
  pkt->backend = word_backend(word);
  pkt->incarnation = word_incarnation(word);
  apply_packet(flow, word, pkt, 0, FROM_CLIENT_ONLY);
  return RP_GO_ON;
}

static __noinline enum rp_outcome begin_flow(struct packet* pkt) {
  const enum rp_outcome out = select_backend(pkt, is_mid_stream(pkt) ? BY_HASH : BY_ALGORITHM);
  const struct rp_flow flow = {.word = own_word(pkt)};

  if (out) return out;
  count_opened(flow.word);
  if (bpf_map_update_elem(&rp_lru, &pkt->tuple, &flow, BPF_NOEXIST)) {
    count_not_opened(flow.word);
    return RP_GO_ON;
  }
  count_new_flow(pkt->backend);
  return RP_GO_ON;
}

static __noinline enum rp_outcome choose_backend(struct packet* pkt) {
  pkt->now = now_seconds();
  struct rp_flow* flow = bpf_map_lookup_elem(&rp_lru, &pkt->tuple);
  const __u64 word = flow ? RP_READ_ONCE(flow->word) : 0;

  if (!flow) return begin_flow(pkt);
  if (is_live(word, pkt->vip, pkt->now) && !(word_state(word) == RP_FLOW_CLOSING && is_syn(pkt))) {
    return keep_flow(flow, word, pkt);
  }
  const enum rp_outcome out = select_backend(pkt, BY_ALGORITHM);

  if (!out) replace_flow(flow, word, own_word(pkt));
  return out;
}

#endif /* RAMPART_BPF_CHOOSE_H */
