/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The score by which least_conn chooses, as functions of values (L1-L3).
 *
 * Score = (in flight + 1) / weight, the smallest wins. Two scores are compared without a division,
 * by multiplying crosswise: (n1 + 1) * w2 < (n2 + 1) * w1. Both factors are below 2^32, because
 * in_flight() is capped, so a product fits 64 bits and the comparison is exact.
 *
 * Equal scores go to the one that comes first from a starting position on, round the end. Whoever
 * chooses starts the next time behind the one chosen; thus equal members take turns, each once
 * before any comes again. Host-compilable: no helper, no map. */
#ifndef RAMPART_BPF_SCORE_H
#define RAMPART_BPF_SCORE_H

#include "bpf/compat.h"
#include "rampart/values.h"

struct score {
  __u32 load;   /* in flight + 1, so never 0 */
  __u32 weight; /* 16 fraction bits */
  __u32 turn;   /* distance from the starting position */
};

#define RP_MOST_IN_FLIGHT 0xfffffffeull /* so that one more fits 32 bits */

/* Flows that a count holds now. Closed is read first: a flow that opens and closes in between must
 * not look like one that was never opened. Negative, which only drift can cause, reads as 0. */
RP_INLINE __u32 in_flight(const struct rp_flow_count* count) {
  const __u64 closed = RP_READ_ONCE(count->closed);
  const __u64 opened = RP_READ_ONCE(count->opened);

  if (opened <= closed) return 0;
  return opened - closed < RP_MOST_IN_FLIGHT ? opened - closed : RP_MOST_IN_FLIGHT;
}

/* Positions from the start on come first, in their order; then those before it: their distance
 * wraps round to far above. */
RP_INLINE __u32 turn_of(__u32 position, __u32 start) {
  return position - start;
}

/* Whether `a` is to be chosen rather than `b`. Weight 0 makes a score infinite: the products say so
 * by themselves (L2). */
RP_INLINE bool precedes(const struct score* a, const struct score* b) {
  const __u64 left = (__u64)a->load * b->weight;
  const __u64 right = (__u64)b->load * a->weight;

  return left < right || (left == right && a->turn < b->turn);
}

#endif /* RAMPART_BPF_SCORE_H */
