/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The flow table: entries, and the one place where a word changes and a count moves with it.
 *
 * Invariants:
 *   1. An entry is made by insert-if-absent; its word changes only by compare-and-swap.
 *   2. A count is opened by whoever makes a word that holds one, and closed by whoever wins the
 *      swap from such a word to one that does not, or to another flow's: exactly once each (F6).
 *   3. An entry is deleted only by whoever won the swap to RP_FLOW_LEAVING, and no one changes
 *      that word: a flow that is taken up in the moment of its deletion cannot lose its count.
 *   4. Before a word is believed or changed its tag is compared: the element may have been
 *      deleted and re-used for another key since it was looked up. */
#ifndef RAMPART_BPF_FLOWTABLE_H
#define RAMPART_BPF_FLOWTABLE_H

#include "bpf/backend.h"
#include "bpf/clock.h"
#include "maps/flows.bpf.h"
#include "maps/vip_state.bpf.h"

#define RP_EEXIST 17

RP_INLINE struct rp_flow* flow_by_key(const struct rp_flow_key* key) {
  return bpf_map_lookup_elem(&rp_flows, key);
}

/* Neither closed nor leaving nor expired by its VIP's timeouts (F7), and its backend is what it was
 * (F3). A number that is not in use has no timeouts, so nothing is live for it. */
RP_INLINE bool is_live(const struct rp_flow* flow, __u64 word, __u32 number, __u32 now) {
  const struct rp_vip_state* vip = bpf_map_lookup_elem(&rp_vip_state, &number);

  if (!vip || is_expired(word, RP_READ_ONCE(flow->seen), vip, now)) return false;
  return backend_of_word(word) != NULL;
}

/* Inserts an entry and opens its count. Returns 0, -RP_EEXIST if there is one, else the table is
 * full. */
RP_INLINE long make_flow(const struct rp_flow_key* key, __u64 word, __u32 vip, __u32 now) {
  const struct rp_flow flow = {.word = word, .seen = now, .vip = vip};
  const bool counts = holds_count(word);

  if (counts) count_opened(word);
  const long error = bpf_map_update_elem(&rp_flows, key, &flow, BPF_NOEXIST);

  if (error && counts) count_not_opened(word);
  return error;
}

/* Swaps a word, closing and opening the counts of the words given (0 for none). */
RP_INLINE bool swap_word(struct rp_flow* flow, __u64 from, __u64 to, __u64 closes, __u64 opens) {
  if (opens) count_opened(opens);
  if (__sync_val_compare_and_swap(&flow->word, from, to) != from) {
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

/* A word's changes are few (a flow's flags), so losing the swap twice to other CPUs means that they
 * wrote what this packet says too. */
#define RP_SWAP_TRIES 2

/* Applies a packet's flags to its live flow. Returns the word as it is then. */
RP_INLINE __u64 apply_packet(struct rp_flow* flow, __u64 word, const struct packet* pkt,
                             enum packet_from from) {
  /* VERIFIER: a loop is followed round by round, and forgets a counter that it calls imprecise.
   * SYMPTOM: "The sequence of 8193 jumps is too complex" with clang 19, which keeps the loop.
   * DOES: unrolls it, as clang 14 does by itself. REMOVE: when newer clangs unroll it by themselves. */
#pragma clang loop unroll(full)
  for (int i = 0; i < RP_SWAP_TRIES; i++) {
    const __u64 next = after_packet(word, pkt, from);

    if (next == word || change_flow(flow, word, next)) return next;
    const __u64 meanwhile = RP_READ_ONCE(flow->word);

    if (!same_flow(meanwhile, word)) return word;
    word = meanwhile;
  }
  return word;
}

/* Another flow takes the entry. False if the word was no longer `from`. */
RP_INLINE bool replace_flow(struct rp_flow* flow, __u64 from, __u64 to) {
  return swap_word(flow, from, to, holds_count(from) ? from : 0, holds_count(to) ? to : 0);
}

/* Deletes an entry, unless its word is no longer `word`. */
RP_INLINE bool remove_flow(const struct rp_flow_key* key, struct rp_flow* flow, __u64 word) {
  if (!change_flow(flow, word, with_state(word, RP_FLOW_LEAVING))) return false;
  bpf_map_delete_elem(&rp_flows, key);
  return true;
}

/* A packet was seen. True if that was not written down in this second yet: the line of a busy flow
 * is dirtied once a second and not with every packet. */
RP_INLINE bool touch_flow(struct rp_flow* flow, __u32 now) {
  if ((__s32)(now - RP_READ_ONCE(flow->seen)) <= 0) return false;
  RP_WRITE_ONCE(flow->seen, now);
  return true;
}

#endif /* RAMPART_BPF_FLOWTABLE_H */
