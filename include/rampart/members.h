/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The members of a least_conn VIP as they lie in its inner map: the backends with an effective
 * weight above 0, and where the flows of each are counted (L1).
 *
 * A new flow's score needs id, weight and count of every member, so these stand together: eight
 * members are a block of 64 bytes, one cache line, where a list beside a weight table would cost
 * two. The counts themselves lie in rp_flow_counts, because the VIPs of a scope share them (L4).
 *
 * Publication. Two halves, interleaved block by block as those of the slots (rampart/slots.h) and
 * flipped by the same live word: one store publishes slots and members, so that no packet ever finds
 * a backend in one and not in the other by more than its own reading order. How many members the half
 * has stands in the upper 16 bits of that word (RP_LIVE_MEMBERS_SHIFT, rampart/values.h). The
 * alternatives were a header block in each half, a cache line and a call more for every new flow,
 * and an end mark in the list, with which nobody can draw a random member. In the word it costs
 * nothing, because the word is read anyway, and it cannot disagree with the half: both change by
 * one store. Behind the last member its block is zero; weight 0 is never chosen.
 *
 * Growth. When more members come than the inner map has room for, a larger one takes its place with
 * the live half as it was; only then is the spare half written, and flipped to. A program that found
 * the former map reads the former members to its end. So what is chosen changes by flips alone.
 *
 * Room for 256 members is what the smallest map has: two halves of it are 4 KiB, one page, and a
 * memory-mapped array takes whole pages. So most VIPs never grow. */
#ifndef RAMPART_MEMBERS_H
#define RAMPART_MEMBERS_H

#include "rampart/abi.h"
#include "rampart/slots.h"

#define RP_MEMBERS_PER_BLOCK 8

struct rp_member_block {
  __u16 backend[RP_MEMBERS_PER_BLOCK];     /* backend ids */
  __u16 count_index[RP_MEMBERS_PER_BLOCK]; /* of rp_flow_counts; equal for one (scope, identity) */
  __u32 weight[RP_MEMBERS_PER_BLOCK];      /* effective, 16 fraction bits; 0 = no member here */
};
RP_ASSERT_SIZE(struct rp_member_block, 64);
RP_ASSERT_OFFSET(struct rp_member_block, count_index, 16);
RP_ASSERT_OFFSET(struct rp_member_block, weight, 32);

/* Index of the block that holds the member at a position of a half; blocks for so many members. */
#define RP_MEMBER_BLOCK(position, half) ((position) / RP_MEMBERS_PER_BLOCK * RP_HALVES + (half))
#define RP_MEMBER_BLOCKS(members) \
  (((members) + RP_MEMBERS_PER_BLOCK - 1) / RP_MEMBERS_PER_BLOCK * RP_HALVES)

/* L9: up to so many members all are scored; of more, so many that are drawn at random. */
#define RP_LEAST_ALL 256
#define RP_LEAST_DRAWN 8

#define RP_MIN_MEMBER_ROOM 256

#endif /* RAMPART_MEMBERS_H */
