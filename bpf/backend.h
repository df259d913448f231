/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Backends by id, and what is counted for them. */
#ifndef RAMPART_BPF_BACKEND_H
#define RAMPART_BPF_BACKEND_H

#include "bpf/effects.h"
#include "bpf/flow_word.h"
#include "bpf/parse.h"
#include "maps/backend_stats.bpf.h"
#include "maps/backends.bpf.h"
#include "maps/flow_counts.bpf.h"

/* NULL for an id beyond the map, which only a broken word or slot can hold. */
RP_INLINE struct rp_backend* backend_by_id(__u32 id) {
  return bpf_map_lookup_elem(&rp_backends, &id);
}

RP_INLINE bool is_free(__u32 state) {
  return (state & RP_STATE_MASK) == RP_BACKEND_FREE;
}

RP_INLINE __u32 incarnation_of(__u32 state) {
  return state >> RP_STATE_INCARNATION_SHIFT;
}

/* The backend that a word names, or NULL if the word is stale: the id was freed, or handed out
 * again (F3). A draining backend keeps its flows (F5). */
RP_INLINE struct rp_backend* backend_of_word(__u64 word) {
  struct rp_backend* backend = backend_by_id(word_backend(word));

  if (!backend) return NULL;
  if (is_stale(word, RP_READ_ONCE(backend->state))) return NULL;
  return backend;
}

/* Does the flow choose anew, because its backend is down or in maintenance (F3)? */
RP_INLINE bool must_move(__u64 word) {
  const struct rp_backend* backend = backend_by_id(word_backend(word));

  return backend && RP_READ_ONCE(backend->state) & RP_STATE_FLOWS_MOVE;
}

/* Makes a backend the packet's. Goes on, or says that there is none: id 0, or one that was freed,
 * which is impossible (make before break). */
RP_INLINE enum rp_outcome take_backend(struct packet* pkt, __u32 id) {
  if (id == 0) return RP_drop_no_backend;
  const struct rp_backend* backend = backend_by_id(id);

  if (!backend) return RP_drop_no_state;
  const __u32 state = RP_READ_ONCE(backend->state);

  if (is_free(state)) return RP_drop_no_backend;
  pkt->backend = id;
  pkt->incarnation = incarnation_of(state);
  return RP_GO_ON;
}

/* --- flow counts (F6) ------------------------------------------------------------------------- */

/* The count that a word's flow is in. An id keeps its count index while it is free, but not once it
 * was handed out again; no flow names it then (B5), and if one did, nobody else's count would
 * suffer. */
RP_INLINE struct rp_flow_count* count_of(__u64 word) {
  const struct rp_backend* backend = backend_by_id(word_backend(word));

  if (!backend) return NULL;
  if (incarnation_of(RP_READ_ONCE(backend->state)) != word_incarnation(word)) return NULL;
  const __u32 index = backend->count_index;

  return bpf_map_lookup_elem(&rp_flow_counts, &index);
}

/* Opened before the flow can be seen, so that a reader never finds more closed than opened. */
RP_INLINE void count_opened(__u64 word) {
  struct rp_flow_count* count = count_of(word);

  if (count && has_effects()) __sync_fetch_and_add(&count->opened, 1);
}

/* Takes count_opened() back: the flow did not come to be. */
RP_INLINE void count_not_opened(__u64 word) {
  struct rp_flow_count* count = count_of(word);

  if (count && has_effects()) __sync_fetch_and_sub(&count->opened, 1);
}

RP_INLINE void count_closed(__u64 word) {
  struct rp_flow_count* count = count_of(word);

  if (count && has_effects()) __sync_fetch_and_add(&count->closed, 1);
}

/* --- counters --------------------------------------------------------------------------------- */

RP_INLINE void count_new_flow(__u32 id) {
  struct rp_backend_stats* stats = bpf_map_lookup_elem(&rp_stats, &id);

  if (stats && has_effects()) stats->flows++;
}

RP_INLINE void count_sent(__u32 id, __u32 bytes) {
  struct rp_backend_stats* stats = bpf_map_lookup_elem(&rp_stats, &id);

  if (!stats) return;
  stats->packets++;
  stats->bytes += bytes;
}

#endif /* RAMPART_BPF_BACKEND_H */
