/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a flow's word says (rampart/flows.h), as functions of values. Programs decide by them, and so
 * does the daemon's sweep. Host-compilable: no helper, no map. */
#ifndef RAMPART_BPF_FLOW_WORD_H
#define RAMPART_BPF_FLOW_WORD_H

#include "bpf/compat.h"
#include "rampart/flows.h"
#include "rampart/values.h"

RP_INLINE __u32 word_backend(__u64 word) {
  return (__u16)word;
}
RP_INLINE __u32 word_incarnation(__u64 word) {
  return (__u16)(word >> RP_FLOW_INCARNATION_SHIFT);
}
RP_INLINE __u32 word_state(__u64 word) {
  return (word >> RP_FLOW_STATE_SHIFT) & 0xf;
}
RP_INLINE __u32 word_marks(__u64 word) {
  return (word >> RP_FLOW_MARK_SHIFT) & 0xf;
}
RP_INLINE __u32 word_seen(__u64 word) {
  return word >> RP_FLOW_SEEN_SHIFT;
}

RP_INLINE __u64 with_state(__u64 word, __u32 state) {
  return (word & ~(0xfull << RP_FLOW_STATE_SHIFT)) | (__u64)state << RP_FLOW_STATE_SHIFT;
}
RP_INLINE __u64 with_mark(__u64 word, __u32 mark) {
  return word | (__u64)mark << RP_FLOW_MARK_SHIFT;
}
RP_INLINE __u64 with_seen(__u64 word, __u32 now) {
  return (word & ((1ull << RP_FLOW_SEEN_SHIFT) - 1)) | (__u64)now << RP_FLOW_SEEN_SHIFT;
}

RP_INLINE __u64 make_word(__u32 backend, __u32 incarnation, __u32 state, __u32 now) {
  const __u64 word = (__u64)backend | (__u64)incarnation << RP_FLOW_INCARNATION_SHIFT;

  return with_seen(with_state(word, state), now);
}

/* The word of an entry that is being made. */
RP_INLINE __u64 making_word(__u32 cpu, __u32 state, __u32 now) {
  return make_word(cpu, 0, state, now);
}
RP_INLINE bool is_being_made(__u64 word) {
  return word_state(word) == RP_FLOW_TAKEN || word_state(word) == RP_FLOW_NAMED;
}

/* Holds a flow that packets can find. */
RP_INLINE bool holds_flow(__u64 word) {
  return word_state(word) != RP_FLOW_FREE && !is_being_made(word);
}

/* Same backend, same incarnation: the flow did not change hands. */
RP_INLINE bool same_choice(__u64 a, __u64 b) {
  return (__u32)a == (__u32)b;
}

RP_INLINE bool holds_count(__u64 word) {
  const __u32 state = word_state(word);

  if (word_marks(word) & RP_FLOW_REPLY) return false;
  return state == RP_FLOW_SYN || state == RP_FLOW_ESTABLISHED || state == RP_FLOW_UDP;
}

/* Seconds since the last packet. One that another CPU saw ahead of `now` was seen now: what looks
 * like more than half of the wrap is the other direction. */
RP_INLINE __u32 flow_age(__u64 word, __u32 now) {
  const __u32 age = (now - word_seen(word)) & RP_FLOW_SEEN_MASK;

  return age > RP_FLOW_SEEN_MASK / 2 ? 0 : age;
}

/* The word with a packet seen now: only ever later. */
RP_INLINE __u64 touched(__u64 word, __u32 now) {
  return flow_age(word, now) ? with_seen(word, now) : word;
}

RP_INLINE __u32 flow_timeout(const struct rp_vip_state* vip, __u32 state) {
  if (state == RP_FLOW_SYN) return vip->timeout_syn;
  if (state == RP_FLOW_ESTABLISHED) return vip->timeout_established;
  if (state == RP_FLOW_CLOSING) return vip->timeout_closing;
  if (state == RP_FLOW_UDP) return vip->timeout_udp;
  return 0;
}

RP_INLINE bool is_expired(__u64 word, const struct rp_vip_state* vip, __u32 now) {
  return flow_age(word, now) >= flow_timeout(vip, word_state(word));
}

/* The backend was freed, or its id handed out again, since the flow chose it (F3). A draining
 * backend keeps its flows (F5). */
RP_INLINE bool is_stale(__u64 word, __u32 backend_state) {
  if ((backend_state & RP_STATE_MASK) == RP_BACKEND_FREE) return true;
  return backend_state >> RP_STATE_INCARNATION_SHIFT != word_incarnation(word);
}

#endif /* RAMPART_BPF_FLOW_WORD_H */
