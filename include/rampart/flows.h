/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The flow table as it lies in memory: what both programs and daemon read and change. How it is
 * used, and why this way, is the essay of bpf/flowtable.h.
 *
 * rp_flows is an array of buckets of one cache line, four entries each. A flow lies in one of two
 * buckets, which its tag names. An entry's number, bucket times four plus its place there, is its
 * place in rp_flow_origins. */
#ifndef RAMPART_FLOWS_H
#define RAMPART_FLOWS_H

#include "rampart/addr.h"

/* The 5-tuple of a packet. Its tag is what a flow is known by. */
struct rp_tuple {
  struct rp_addr source;
  struct rp_addr destination;
  __be16 source_port;
  __be16 destination_port;
  __u8 protocol;
  __u8 zero[3];
};
RP_ASSERT_SIZE(struct rp_tuple, 40);

/* --- entries ---------------------------------------------------------------------------------- */

/* The word, so that every change is one compare-and-swap (F6):
 *
 *   bits  0-15  backend id
 *   bits 16-31  incarnation of that id when the flow chose it
 *   bits 32-35  RP_FLOW_* state
 *   bits 36-39  RP_FLOW_* marks
 *   bits 40-63  when the last packet was seen, CLOCK_MONOTONIC_COARSE seconds; they wrap in 194
 *               days, and no timeout is longer than a week
 *
 * A free entry's word is 0. One that is being made (TAKEN, NAMED) has the number of its maker's CPU
 * instead of a backend: a CPU makes one at a time, so no two makers' words are equal. */
struct rp_flow {
  __u64 tag;
  __u64 word;
};
RP_ASSERT_SIZE(struct rp_flow, 16);

#define RP_FLOW_INCARNATION_SHIFT 16
#define RP_FLOW_STATE_SHIFT 32
#define RP_FLOW_MARK_SHIFT 36
#define RP_FLOW_SEEN_SHIFT 40
#define RP_FLOW_SEEN_MASK 0xffffffu

enum rp_flow_state {
  RP_FLOW_FREE = 0,
  RP_FLOW_SYN = 1, /* TCP: one packet was seen, or only SYNs */
  RP_FLOW_ESTABLISHED = 2,
  RP_FLOW_CLOSING = 3, /* FIN or RST seen: count given back, backend remembered */
  RP_FLOW_UDP = 4,
  RP_FLOW_TAKEN = 5, /* by a program that is about to write the tag */
  RP_FLOW_NAMED = 6, /* it is written; the program looks whether another made the flow too */
};

enum rp_flow_mark {
  RP_FLOW_REPLY = 1,       /* the reply entry of a nat flow: holds no count */
  RP_FLOW_FIN_CLIENT = 2,  /* the client's FIN was seen */
  RP_FLOW_FIN_BACKEND = 4, /* the backend's FIN was seen (nat) */
  RP_FLOW_REVIVED = 8,     /* data came after a lone FIN or RST; that happens once a flow (F6) */
};

#define RP_BUCKET_FLOWS 4

struct rp_flow_bucket {
  struct rp_flow flow[RP_BUCKET_FLOWS];
};
RP_ASSERT_SIZE(struct rp_flow_bucket, 64);

/* Buckets for a configured number of flows: at 55 % load, where two choices refuse nothing in
 * practice (docs/decisions/0007). 5/11 = 1 / (0.55 * 4), rounded up. The second form says for how
 * many flows a number of buckets is right. */
#define RP_FLOW_BUCKETS(max_flows) ((__u32)(((__u64)(max_flows)*5 + 10) / 11))
#define RP_FLOWS_OF_BUCKETS(buckets) ((__u32)((__u64)(buckets)*11 / 5))

/* --- beside them ------------------------------------------------------------------------------ */

/* rp_flow_origins, by place: the end of the flow that its backend does not tell. Read by listings
 * only. Written when the entry is live already, and its last member last: whoever finds the tag of
 * the entry there has read what belongs to it. */
struct rp_flow_origin {
  struct rp_addr client;
  __be16 client_port;
  __be16 vip_port; /* as addressed: a VIP may be one of every port */
  __u32 tag;       /* the lower half of the entry's */
};
RP_ASSERT_SIZE(struct rp_flow_origin, 24);

/* rp_flow_secret, one entry: random numbers that make tags unpredictable (F12). Two multilinear
 * hashes of RP_TAG_WORDS words, and a constant for each. Written once, by the daemon that made the
 * map. */
#define RP_TAG_WORDS 10
struct rp_flow_secret {
  __u64 upper[RP_TAG_WORDS + 1];
  __u64 lower[RP_TAG_WORDS + 1];
};
RP_ASSERT_SIZE(struct rp_flow_secret, 176);

/* rp_flow_stats, per CPU, one entry: what flows went through that no packet's outcome tells. */
struct rp_flow_stats {
  __u64 evicted; /* SYN-only entries that gave way to another flow (F8) */
  __u64 refused; /* packets without an entry: the table is full where their flow may lie (F8) */
  __u64 limited; /* packets without an entry: new_flow_limit_per_cpu was reached (F9) */
  __u64 revived; /* flows that went on after a lone FIN or RST (F6) */
};
RP_ASSERT_SIZE(struct rp_flow_stats, 32);

#endif /* RAMPART_FLOWS_H */
