/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* least_conn: the member of least score for a new flow (L).
 *
 * Every score is computed from the count that the flows themselves keep in rp_flow_counts (F6), at
 * the moment of the choice. Nothing is accumulated, so nothing is lost when members or weights are
 * published anew (L4). The price is that all members are read: up to RP_LEAST_ALL of them, eight a
 * step; of more, eight are drawn at random and the best of these is taken (L9), which costs the same
 * for any number and comes close to the least loaded one by the power of several choices.
 *
 * CPUs that choose at one moment read the same counts and may take the same member: the minimum is
 * over the counts as read. The next flow sees both. */
#ifndef RAMPART_BPF_LEAST_H
#define RAMPART_BPF_LEAST_H

#include "bpf/backend.h"
#include "bpf/hash.h"
#include "bpf/score.h"
#include "bpf/turns.h"
#include "maps/member_tables.bpf.h"

/* As many as there are count indices: a list never holds more. */
#define RP_MOST_JOINED (1u << 16)

struct least {
  void* table; /* the VIP's inner map */
  __u32 half;
  __u32 members;
  __u32 start; /* the position that comes first among equal scores */
  __u32 backend;
  __u32 position;
  struct score best;
};

/* --- joined counts (B2) ----------------------------------------------------------------------- */

struct joined_sum {
  __u32 index;
  struct rp_flow_count count;
};

/* Sums what was loaded, not what was computed from it: a constant that is added in each turn, the cap
 * of in_flight(), would be another state for the verifier each time, without end. */
static long add_joined(__u32 step __attribute__((unused)), void* context) {
  struct joined_sum* sum = context;
  const __u32 index = sum->index;
  const struct rp_flow_count* count = bpf_map_lookup_elem(&rp_flow_counts, &index);

  if (!count) return 1;
  sum->count.closed += RP_READ_ONCE(count->closed);
  sum->count.opened += RP_READ_ONCE(count->opened);
  sum->index = RP_JOINED_NEXT(RP_READ_ONCE(count->joined));
  return sum->index <= index;
}

/* Flows of all counts from the first of a list on; the bits of a __u32. Global, so that it is verified
 * once. */
__noinline int rp_joined_flows(__u32 first) {
  struct joined_sum sum = {.index = first};

  bpf_loop(RP_MOST_JOINED, add_joined, &sum, 0);
  return in_flight(&sum.count);
}

/* Flows of the node whose count it is. */
RP_INLINE __u32 flows_of(const struct rp_flow_count* count) {
  const __u64 joined = RP_READ_ONCE(count->joined);

  if (!joined) return in_flight(count);
  return rp_joined_flows(joined >> RP_JOINED_FIRST_SHIFT);
}

/* --- choosing --------------------------------------------------------------------------------- */

/* The member at a position, if it is better than the best so far. A count index beyond the map is
 * impossible; whoever has it is passed over. */
RP_INLINE void consider(struct least* least, const struct rp_member_block* block, __u32 position,
                        __u32 turn) {
  const __u32 place = position % RP_MEMBERS_PER_BLOCK;
  const __u32 index = block->count_index[place];
  const struct rp_flow_count* count = bpf_map_lookup_elem(&rp_flow_counts, &index);

  if (!count) return;
  const struct score score = {
      .load = flows_of(count) + 1, .weight = block->weight[place], .turn = turn};

  if (!precedes(&score, &least->best)) return;
  least->best = score;
  least->backend = block->backend[place];
  least->position = position;
}

RP_INLINE const struct rp_member_block* block_of(const struct least* least, __u32 position) {
  const __u32 index = RP_MEMBER_BLOCK(position, least->half);

  return bpf_map_lookup_elem(least->table, &index);
}

/* All members of a block. Those that its end does not have are of weight 0. */
static long score_block(__u32 step, void* context) {
  struct least* least = context;
  const __u32 first = step * RP_MEMBERS_PER_BLOCK;
  const struct rp_member_block* block = block_of(least, first);

  if (!block) return 1;
  RP_UNROLL
  for (__u32 i = 0; i < RP_MEMBERS_PER_BLOCK; i++) {
    consider(least, block, first + i, turn_of(first + i, least->start));
  }
  return 0;
}

/* One member, drawn. */
static long score_drawn(__u32 step, void* context) {
  struct least* least = context;
  const __u32 position = scale(bpf_get_prandom_u32(), least->members);
  const struct rp_member_block* block = block_of(least, position);

  if (!block) return 1;
  consider(least, block, position, step);
  return 0;
}

/* The position whose member comes first of those with equal scores (L3). A CPU begins anywhere: CPUs,
 * and balancers that restart together, must not all give their first flow to the same node. */
RP_INLINE __u32 turn_at(const struct rp_cursor* cursor, __u32 members) {
  return cursor->started ? cursor->next : scale(bpf_get_prandom_u32(), members);
}

/* Chooses among the members of pkt->half, of which there are so many. Goes on, or says that there is
 * no backend. Members that cannot be found are impossible. Global, so that it is verified once. */
__noinline int rp_select_least(struct packet* pkt, __u32 members) {
  if (!pkt) return RP_drop_no_state;
  if (!members) return RP_drop_no_backend;
  const __u32 number = pkt->vip;
  struct rp_cursor* cursor = cursor_of_vip(number);
  struct least least = {.table = bpf_map_lookup_elem(&rp_members, &number),
                        .half = pkt->half,
                        .members = members,
                        .best = {.load = 1}};

  if (!cursor || !least.table) return RP_drop_no_state;
  least.start = turn_at(cursor, members);
  if (members <= RP_LEAST_ALL) {
    const __u32 blocks = (members + RP_MEMBERS_PER_BLOCK - 1) / RP_MEMBERS_PER_BLOCK;

    bpf_loop(blocks, score_block, &least, 0);
    move_cursor(cursor, least.position + 1);
  } else {
    bpf_loop(RP_LEAST_DRAWN, score_drawn, &least, 0);
  }
  return least.best.weight ? take_backend(pkt, least.backend) : RP_drop_no_state;
}

#endif /* RAMPART_BPF_LEAST_H */
