/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The flow table: a hash table in a memory-mapped array, made for what this path does with it.
 *
 * Problem. With many flows a packet's cost is its cache and TLB misses. The kernel's LRU_HASH touches
 * a bucket's head, an element and list links, and takes a lock for each new flow; it also evicts live
 * flows, and expiring one from outside is two system calls.
 *
 * Choice. Buckets of one cache line, four entries each, two candidate buckets for a flow, of which
 * the emptier is taken (Azar, Broder, Karlin and Upfal, Balanced allocations, STOC 1994). An
 * entry is a tag, which stands for the tuple (bpf/hash.h), and a word
 * (rampart/flows.h). A live flow touches one line, or two. Nothing is allocated, linked, moved or locked: every change is one
 * compare-and-swap of one word. The daemon sees the same memory and sweeps it by the same rules.
 *
 * Protocol. An entry's word decides; its tag is written only by whoever took the entry.
 *
 *   FREE ── swap ──► TAKEN ── tag, swap ──► NAMED ── alone? swap ──► live ─┬─ packets: swaps ─► live
 *    ▲                 ▲                              │                            │
 *    │                 └─── evicted: swap (F8) ───────┼────────────────────────────┤
 *    └──── not alone: swap ───────────────────────────┘                            │
 *    └──── the sweep, or nobody's any more: swap ──────────────────────────────────┘
 *
 *   1. A count is opened before a word that holds one is live. It is closed by whoever wins the swap
 *      from such a word to one that does not hold it, or to another flow's. Counts follow words
 *      alone: whatever else goes wrong, each word that held a count gives it back once (F6).
 *   2. A reader takes tag, word, tag: an entry that changed hands in between is seen by its tag.
 *      Between the last look and a swap it can still change hands, to a flow whose word is equal in
 *      all 64 bits, backend and second included; that flow then takes this packet's flags for its
 *      own: a RST closes it, its next data revives it. Its count stays right by 1.
 *   3. Two CPUs that begin one flow may both take an entry; only one becomes live. Each is NAMED
 *      before it looks for the other (the swap is a full barrier), so at least one sees the other.
 *      A live entry stays. Of two that are NAMED the one that rp_find() meets first stays: it frees
 *      the other, or finds that it has become live meanwhile; the other, if it looks, gives up.
 *      Whoever gives up follows the entry that stays.
 *   4. A program does not stop between TAKEN and live; its CPU may, for an interrupt, and a machine
 *      for a second. Whoever has lost to a maker that does not become live soon frees that one's
 *      entry and tries once more. The sweep frees an entry that is being made for longer than a
 *      second (dataplane/flow_sweeper.h). The maker's next swap then fails, even if another has taken
 *      the entry: no two makers' words are equal.
 *
 * tests/property/flow_machine takes two CPUs through each other in every way with three changes of
 * turn, by the code below.
 *
 * Consequence. 72.7 bytes for each of max_flows, origins included; figures are in
 * docs/decisions/0007. A bucket that is full refuses flows while others are empty: at max_flows, 55 %
 * of all entries, those are 7 in 100,000 flows. */
#ifndef RAMPART_BPF_FLOWTABLE_H
#define RAMPART_BPF_FLOWTABLE_H

#include "bpf/flow_change.h"
#include "bpf/hash.h"
#include "bpf/load_config.h"
#include "maps/flow_origins.bpf.h"
#include "maps/flow_secret.bpf.h"
#include "maps/flows.bpf.h"

/* --- where a flow may lie --------------------------------------------------------------------- */

RP_INLINE __u64 flow_tag(const struct rp_tuple* tuple) {
  const __u32 zero = 0;
  const struct rp_flow_secret* secret = bpf_map_lookup_elem(&rp_flow_secret, &zero);

  return secret ? tag_of(tuple, secret) : 0;
}

RP_INLINE __u32 first_bucket(__u64 tag) {
  return scale(tag >> 32, rp_config.flow_buckets);
}
RP_INLINE __u32 second_bucket(__u64 tag) {
  return scale((__u32)tag, rp_config.flow_buckets);
}

RP_INLINE struct rp_flow_bucket* bucket_at(__u32 index) {
  return bpf_map_lookup_elem(&rp_flows, &index);
}

RP_INLINE struct rp_flow* flow_at(__u32 place) {
  struct rp_flow_bucket* bucket = bucket_at(place / RP_BUCKET_FLOWS);

  if (!bucket) return NULL;
  /* VERIFIER: a pointer that may be NULL takes no arithmetic.
   * SYMPTOM:  "pointer arithmetic on map_value_or_null prohibited": clang adds before it compares.
   * DOES:     makes the pointer opaque behind the comparison.
   * REMOVE:   when clang's BPF target does not speculate on pointers. */
  __asm__ volatile("" : "+r"(bucket));
  return &bucket->flow[place % RP_BUCKET_FLOWS];
}

/* The places where a flow may lie, from 0 to 2 * RP_BUCKET_FLOWS - 1. */
RP_INLINE __u32 candidate(__u64 tag, __u32 i) {
  const __u32 bucket = i < RP_BUCKET_FLOWS ? first_bucket(tag) : second_bucket(tag);

  return bucket * RP_BUCKET_FLOWS + i % RP_BUCKET_FLOWS;
}

/* --- finding ---------------------------------------------------------------------------------- */

RP_INLINE int find_in(__u32 index, __u64 tag) {
  struct rp_flow_bucket* bucket = bucket_at(index);

  if (!bucket) return -1;
  RP_UNROLL
  for (int i = 0; i < RP_BUCKET_FLOWS; i++) {
    struct rp_flow* flow = &bucket->flow[i];

    if (RP_READ_ONCE(flow->tag) == tag && holds_flow(RP_READ_ONCE(flow->word))) {
      return index * RP_BUCKET_FLOWS + i;
    }
  }
  return -1;
}

/* The place of the tag's entry, or -1. Global, so that it is verified once: inlined at each caller
 * it exhausts the verifier. */
__noinline int rp_find(__u64 tag) {
  const int place = find_in(first_bucket(tag), tag);

  return place >= 0 ? place : find_in(second_bucket(tag), tag);
}

/* The entry of who won against this CPU is live some tens of nanoseconds later; a look takes as long. */
#define RP_WINNER_LOOKS 32

__noinline int rp_find_winner(__u64 tag) {
  for (int i = 0; i < RP_WINNER_LOOKS; i++) {
    const int place = rp_find(tag);

    if (place >= 0) return place;
  }
  return -1;
}

/* NULL if there is none. */
RP_INLINE struct rp_flow* find_flow(__u64 tag) {
  const int place = rp_find(tag);

  return place >= 0 ? flow_at(place) : NULL;
}

/* --- making an entry -------------------------------------------------------------------------- */

#define RP_FLOW_FULL -1 /* no entry may be taken */
#define RP_FLOW_LOST -2 /* another CPU has made the flow's entry, or is about to */

/* Seconds. A SYN-only entry must be older to give way: the handshake of a client that is there takes
 * less (F8). */
#define RP_EVICTABLE_AGE 1

/* How willingly an entry gives way: 0 not at all. What is dead goes first, then the oldest SYN, then
 * what has been closing for longest: both are what a flood of single packets leaves. Reply entries are
 * no exception: a nat flow that lives makes its own again with its next second. Global, so that it is
 * not followed through eight times over. */
#define RP_RANK_DEAD (2 * RP_FLOW_SEEN_MASK)
#define RP_RANK_SYN RP_FLOW_SEEN_MASK /* and its age */

__noinline __u32 rp_rank(__u64 word, __u32 now) {
  const struct rp_backend* backend = backend_by_id(word_backend(word));
  const __u32 age = flow_age(word, now);

  if (!holds_flow(word)) return 0;
  if (!backend || !is_live(word, backend->vip, now)) return RP_RANK_DEAD;
  if (age <= RP_EVICTABLE_AGE) return 0;
  if (word_state(word) == RP_FLOW_SYN) return RP_RANK_SYN + age;
  return word_state(word) == RP_FLOW_CLOSING ? age : 0;
}

/* Takes the entry that gives way most willingly (F8). Returns its place. */
__noinline int rp_evict(__u64 tag, __u64 taken) {
  __u64 best = 0; /* rank, and below it the place */

  for (__u32 i = 0; i < 2 * RP_BUCKET_FLOWS; i++) {
    const __u32 place = candidate(tag, i);
    const struct rp_flow* flow = flow_at(place);

    if (!flow) return RP_FLOW_FULL;
    const __u64 rank = rp_rank(RP_READ_ONCE(flow->word), word_seen(taken));

    if (rank > best >> 32) best = rank << 32 | place;
  }
  struct rp_flow* flow = best ? flow_at((__u32)best) : NULL;

  if (!flow) return RP_FLOW_FULL;
  const __u64 victim = RP_READ_ONCE(flow->word);
  const __u32 rank = rp_rank(victim, word_seen(taken));

  if (!rank || !replace_flow(flow, victim, taken)) return RP_FLOW_FULL;
  if (rank != RP_RANK_DEAD) RP_COUNT_IN_FLOW_STATS(evicted);
  return (__u32)best;
}

RP_INLINE int free_entries(const struct rp_flow_bucket* bucket) {
  int count = 0;

  RP_UNROLL
  for (int i = 0; i < RP_BUCKET_FLOWS; i++) count += RP_READ_ONCE(bucket->flow[i].word) == 0;
  return count;
}

/* Takes a free entry of a bucket. Returns its place, or RP_FLOW_FULL. */
RP_INLINE int take_free(__u32 index, struct rp_flow_bucket* bucket, __u64 taken) {
  RP_UNROLL
  for (int i = 0; i < RP_BUCKET_FLOWS; i++) {
    if (RP_READ_ONCE(bucket->flow[i].word) != 0) continue;
    if (swap(&bucket->flow[i], 0, taken)) return index * RP_BUCKET_FLOWS + i;
  }
  return RP_FLOW_FULL;
}

/* Takes a free entry, of the emptier bucket if others leave one there. Returns its place. Global, as
 * those below, so that it is verified once and its frame is not part of its caller's. */
__noinline int rp_take(__u64 tag, __u64 taken) {
  const __u32 one = first_bucket(tag), other = second_bucket(tag);
  struct rp_flow_bucket* first = bucket_at(one);
  struct rp_flow_bucket* second = bucket_at(other);

  if (!first || !second) return RP_FLOW_FULL;
  if (free_entries(first) >= free_entries(second)) {
    const int place = take_free(one, first, taken);

    return place >= 0 ? place : take_free(other, second, taken);
  }
  const int place = take_free(other, second, taken);

  return place >= 0 ? place : take_free(one, first, taken);
}

/* Must the maker of the entry at `place` leave the flow to another one in this bucket? Frees what
 * must give way to it (protocol, 3); `is_passed`: is that what lies here? */
RP_INLINE bool is_forestalled(__u32 index, __u64 tag, __u32 place, bool is_passed) {
  struct rp_flow_bucket* bucket = bucket_at(index);

  if (!bucket) return true;
  RP_UNROLL
  for (int i = 0; i < RP_BUCKET_FLOWS; i++) {
    struct rp_flow* flow = &bucket->flow[i];
    const __u64 word = RP_READ_ONCE(flow->word);
    const bool is_own = index * RP_BUCKET_FLOWS + i == place;

    is_passed |= is_own;
    if (is_own || word == 0 || RP_READ_ONCE(flow->tag) != tag) continue;
    if (holds_flow(word)) return true;
    if (word_state(word) != RP_FLOW_NAMED) continue; /* its maker will see this entry */
    if (!is_passed) return true;
    if (!swap(flow, word, 0) && read_word(flow, tag)) return true;
  }
  return false;
}

/* Is nobody else making, or has made, the tag's flow? REQUIRES: the entry at `place` is NAMED. */
__noinline int rp_is_alone(__u64 tag, __u32 place) {
  const __u32 one = first_bucket(tag), other = second_bucket(tag);

  if (is_forestalled(one, tag, place, false)) return false;
  return one == other || !is_forestalled(other, tag, place, place / RP_BUCKET_FLOWS == one);
}

/* DOES: keeps a load whose result nobody wants. */
#define RP_TOUCH(field) __asm__ volatile("" : : "r"(RP_READ_ONCE(field)))

RP_INLINE void touch_origin(__u32 bucket) {
  const __u32 place = bucket * RP_BUCKET_FLOWS;
  const struct rp_flow_origin* origin = bpf_map_lookup_elem(&rp_flow_origins, &place);

  if (origin) RP_TOUCH(origin->tag);
}

/* To be called early for a flow that gets an entry. Its origin lies in a page and a line that nobody has
 * touched for long; written just so, behind the last swap, it holds up the CPU's stores for as long as
 * both take to come. Loads that nobody waits for bring them meanwhile (docs/decisions/0007). */
RP_INLINE void touch_origins(__u64 tag) {
  touch_origin(first_bucket(tag));
  touch_origin(second_bucket(tag));
}

/* To be called for a packet that most likely begins a flow, before its entry is sought: all the lines
 * that a new flow needs then come at the same time, and not one after the other. */
RP_INLINE void touch_places(__u64 tag) {
  const struct rp_flow_bucket* second = bucket_at(second_bucket(tag));

  if (second) RP_TOUCH(second->flow[0].word);
  touch_origins(tag);
}

RP_INLINE void write_tag(struct rp_flow* flow, __u64 tag) {
  if (has_effects()) RP_WRITE_ONCE(flow->tag, tag);
}

RP_INLINE void write_origin(__u32 place, __u64 tag, const struct packet* pkt) {
  struct rp_flow_origin* origin = bpf_map_lookup_elem(&rp_flow_origins, &place);

  if (!origin || !has_effects()) return;
  origin->client = pkt->tuple.source;
  origin->client_port = pkt->tuple.source_port;
  origin->vip_port = pkt->tuple.destination_port;
  RP_WRITE_ONCE(origin->tag, (__u32)tag);
}

/* One try at it. Returns the entry's place, RP_FLOW_FULL, or RP_FLOW_LOST. The origin is written behind
 * the last swap: a swap waits for all stores before it, and this one misses every cache. */
__noinline int rp_try_to_make(__u64 tag, __u64 word, const struct packet* pkt) {
  const __u64 taken = making_word(bpf_get_smp_processor_id(), RP_FLOW_TAKEN, word_seen(word));
  const __u64 named = with_state(taken, RP_FLOW_NAMED);

  if (!pkt) return RP_FLOW_FULL;
  int found = rp_take(tag, taken);
  if (found < 0) found = rp_evict(tag, taken);
  const __u32 place = found;
  struct rp_flow* flow = found < 0 ? NULL : flow_at(place);

  if (!flow) return RP_FLOW_FULL;
  write_tag(flow, tag);
  if (!swap(flow, taken, named)) return RP_FLOW_LOST;
  if (rp_is_alone(tag, place) && replace_flow(flow, named, word)) {
    write_origin(place, tag, pkt);
    return place;
  }
  swap(flow, named, 0);
  return RP_FLOW_LOST;
}

/* Frees what others are making for the tag: its makers were stopped, and lose (protocol, 4). */
RP_INLINE void free_makers(__u64 tag) {
  for (__u32 i = 0; i < 2 * RP_BUCKET_FLOWS; i++) {
    struct rp_flow* flow = flow_at(candidate(tag, i));

    if (!flow) return;
    const __u64 word = RP_READ_ONCE(flow->word);

    if (word_state(word) == RP_FLOW_NAMED && RP_READ_ONCE(flow->tag) == tag) swap(flow, word, 0);
  }
}

/* Makes an entry that the client's packet `pkt` began, opens its count, and returns its place; else
 * RP_FLOW_FULL, or RP_FLOW_LOST: another CPU's entry of the flow is live. */
__noinline int rp_make_flow(__u64 tag, __u64 word, const struct packet* pkt) {
  int made = rp_try_to_make(tag, word, pkt);

  if (made != RP_FLOW_LOST || rp_find_winner(tag) >= 0) return made;
  free_makers(tag);
  return rp_try_to_make(tag, word, pkt);
}

#endif /* RAMPART_BPF_FLOWTABLE_H */
