/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The one place where a flow's word changes and its count moves with it (bpf/flowtable.h, protocol, 1
 * and 2). Where the entry lies does not matter here. */
#ifndef RAMPART_BPF_FLOW_CHANGE_H
#define RAMPART_BPF_FLOW_CHANGE_H

#include "bpf/backend.h"
#include "bpf/flow.h"
#include "maps/flow_stats.bpf.h"
#include "maps/vip_state.bpf.h"

RP_INLINE struct rp_flow_stats* flow_stats(void) {
  const __u32 zero = 0;

  return bpf_map_lookup_elem(&rp_flow_stats, &zero);
}

/* Adds one to a member of rp_flow_stats. */
#define RP_COUNT_IN_FLOW_STATS(member)           \
  do {                                           \
    struct rp_flow_stats* stats = flow_stats();  \
                                                 \
    if (stats && has_effects()) stats->member++; \
  } while (0)

/* The entry's word, or 0 if it does not hold the tag's flow (protocol, 2). */
RP_INLINE __u64 read_word(struct rp_flow* flow, __u64 tag) {
  const __u64 word = RP_READ_ONCE(flow->word);

  return holds_flow(word) && RP_READ_ONCE(flow->tag) == tag ? word : 0;
}

/* Neither expired by its VIP's timeouts (F7) nor stale (F3). A number that was never in use has no
 * timeouts, so nothing is live for it. */
RP_INLINE bool is_live(__u64 word, __u32 number, __u32 now) {
  const struct rp_vip_state* vip = bpf_map_lookup_elem(&rp_vip_state, &number);

  if (!vip || is_expired(word, vip, now)) return false;
  return backend_of_word(word) != NULL;
}

/* A word's changes are few (a flow's flags and its seconds), so losing the swap as often as this
 * means that other CPUs wrote what this packet says too, or that the entry changes hands. */
#define RP_SWAP_TRIES 2

RP_INLINE bool swap(struct rp_flow* flow, __u64 from, __u64 to) {
  if (!has_effects()) return true;
  return __sync_val_compare_and_swap(&flow->word, from, to) == from;
}

/* Swaps a word, closing and opening the counts of the words given (0 for none). */
RP_INLINE bool swap_word(struct rp_flow* flow, __u64 from, __u64 to, __u64 closes, __u64 opens) {
  if (opens) count_opened(opens);
  if (!swap(flow, from, to)) {
    if (opens) count_not_opened(opens);
    return false;
  }
  if (closes) count_closed(closes);
  return true;
}

/* The flow goes on in another state. False if the word was no longer `from`. */
RP_INLINE bool change_flow(struct rp_flow* flow, __u64 from, __u64 to) {
  const bool was = holds_count(from), is = holds_count(to);

  return swap_word(flow, from, to, was && !is ? from : 0, is && !was ? to : 0);
}

/* The entry changes hands: to another flow, to a maker, to nobody. False if the word was no longer
 * `from`. */
RP_INLINE bool replace_flow(struct rp_flow* flow, __u64 from, __u64 to) {
  return swap_word(flow, from, to, holds_count(from) ? from : 0, holds_count(to) ? to : 0);
}

RP_INLINE void count_revival(__u64 from, __u64 to) {
  if ((word_marks(to) & ~word_marks(from)) & RP_FLOW_REVIVED) RP_COUNT_IN_FLOW_STATS(revived);
}

/* Applies a packet to its live flow. Returns the word as it is then. */
RP_INLINE __u64 apply_packet(struct rp_flow* flow, __u64 word, const struct packet* pkt, __u64 tag,
                             enum packet_from from) {
  /* VERIFIER: a loop is followed round by round, and forgets a counter that it calls imprecise.
   * SYMPTOM: "The sequence of 8193 jumps is too complex" with clang 19, which keeps the loop.
   * DOES: unrolls it, as clang 14 does by itself. REMOVE: when newer clangs unroll it by themselves. */
  RP_UNROLL
  for (int i = 0; i < RP_SWAP_TRIES; i++) {
    const __u64 next = touched(after_packet(word, pkt, from), pkt->now);

    if (next == word) return word;
    if (change_flow(flow, word, next)) {
      count_revival(word, next);
      return next;
    }
    const __u64 meanwhile = read_word(flow, tag);

    if (!same_choice(meanwhile, word)) return word;
    word = meanwhile;
  }
  return word;
}

/* Frees an entry, unless its word is no longer `word`. */
RP_INLINE bool free_flow(struct rp_flow* flow, __u64 word) {
  return replace_flow(flow, word, 0);
}

#endif /* RAMPART_BPF_FLOW_CHANGE_H */
