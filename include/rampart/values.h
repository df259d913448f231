/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Values of the maps, and the packed words that change while programs read them.
 *
 * Publishing rule: no program reads a hash value that userspace overwrites, because the kernel
 * re-uses a replaced hash element at once and a running program then sees another entry's value. So
 * a hash maps a key to a number and is never overwritten; what the number stands for lies in an
 * array. What changes there while a program may read it is one aligned word, written by one store.
 * Everything else is written only while nothing names the number, and a number is given out again
 * only after a grace period. */
#ifndef RAMPART_VALUES_H
#define RAMPART_VALUES_H

#include "rampart/addr.h"

/* How a packet reaches a backend (X1). */
enum rp_forward {
  RP_FORWARD_L2 = 1, /* the frame's MAC addresses are rewritten; the backend owns the VIP address */
  RP_FORWARD_NAT = 2, /* destination rewritten; replies return through the balancer */
};

enum rp_algorithm {
  RP_ROUNDROBIN = 1, /* a cursor per CPU walks over the slot table */
  RP_CHASH = 2,      /* the slot is the hash of what hash_on names */
  RP_LEAST_CONN = 3, /* the member of least score (rampart/members.h); the slot table still serves
                        packets that must find the same backend without an entry (F4) */
};

enum rp_hash_on {
  RP_HASH_5TUPLE = 1,
  RP_HASH_SOURCE_IP = 2,
};

/* What happens to a packet of a VIP without a backend (W3). */
enum rp_on_no_backend {
  RP_NO_BACKEND_DROP = 1,
  RP_NO_BACKEND_PASS = 2,
  RP_NO_BACKEND_RESET = 3, /* TCP: a RST. UDP: ICMP port unreachable */
};

/* rp_vips: never overwritten. */
struct rp_vip {
  __u32 number; /* index into rp_vip_state, rp_slots, rp_members, rp_vip_stats, rp_cursors */
};
RP_ASSERT_SIZE(struct rp_vip, 4);

/* rp_vip_state, by VIP number. Memory-mapped; each word is written by one store. */
struct rp_vip_state {
  __u64 live;          /* RP_LIVE_*: half, generation and number of members */
  __u32 table_size;    /* prime; 0 = the number is not in use */
  __u32 algorithm;     /* enum rp_algorithm */
  __u32 hash_on;       /* enum rp_hash_on */
  __u32 on_no_backend; /* enum rp_on_no_backend */
  __u32 timeout_syn;   /* seconds, as the three below (F7) */
  __u32 timeout_established;
  __u32 timeout_closing;
  __u32 timeout_udp;
  __u32 drain_timeout; /* seconds; read by the daemon that adopts the pins */
  __u32 hash_seed;     /* this VIP's share of bpf.hash_seed: mixed with its address and port */
};
RP_ASSERT_SIZE(struct rp_vip_state, 48);
/* The live word: in the lowest bit the half that programs read, of slots and members alike; in the
 * upper 16 the number of members there; between them the generation, which is the number of
 * publications: 47 bits, at one a millisecond enough for 4,000 years. */
#define RP_LIVE_HALF 1ull
#define RP_LIVE_GENERATION_SHIFT 1
#define RP_LIVE_GENERATION_MASK ((1ull << 47) - 1) /* once shifted */
#define RP_LIVE_MEMBERS_SHIFT 48

/* Operational state of a backend id, in the low byte of its state word. */
enum rp_backend_state {
  RP_BACKEND_FREE = 0,     /* names nothing; flows that carry it are stale */
  RP_BACKEND_SERVING = 1,  /* flows and slots may name it */
  RP_BACKEND_DRAINING = 2, /* in no slot table; existing flows stay until they end (F5) */
};

/* rp_backends, by backend id. An id stands for (VIP address, port, protocol; node address, port),
 * B1. The members that identify it come first and are written only while the id is free; the words
 * after them change while it serves. */
struct rp_backend {
  struct rp_addr vip_address;
  struct rp_addr address;
  __be16 vip_port;
  __be16 port;
  __u8 protocol;
  __u8
      forward; /* enum rp_forward: of the backend, so that flows keep theirs when a VIP's changes */
  __u16 zero;
  __u64 scope_hash;    /* B3: 64-bit hashes of scope and identity, for a restart */
  __u64 identity_hash; /*     without a state file */
  __u32 count_index;   /* B2: index into rp_flow_counts, shared by ids of one (scope, identity) */
  __u32 drain_until;   /* CLOCK_BOOTTIME seconds at which a drain ends; 0 = not draining */
  __u64 next_hop;      /* RP_HOP_*: where frames go; 0 = unresolved (X2) */
  __u32 state;         /* RP_STATE_*: incarnation and enum rp_backend_state */
  __u32 vip;           /* VIP number */
};
RP_ASSERT_SIZE(struct rp_backend, 80);
RP_ASSERT_OFFSET(struct rp_backend, next_hop, 64);
RP_ASSERT_OFFSET(struct rp_backend, state, 72);

/* State word: incarnation in the upper 16 bits (B5), operational state in the lowest 8, between them
 * a mark: the backend is down or in maintenance, and so its flows choose anew. The daemon sets it for
 * UDP, and for TCP where the VIP says on_down: move (F3). */
#define RP_STATE_INCARNATION_SHIFT 16
#define RP_STATE_MASK 0xffu
#define RP_STATE_FLOWS_MOVE 0x100u

/* Next hop: the neighbour's MAC address as it lies on the wire in bytes 0-5, and in the upper 16
 * bits the index of the egress port in rp_ports, plus one: 0 is "unresolved" whatever the MAC says.
 */
#define RP_HOP_PORT_SHIFT 48
#define RP_HOP_MAC_MASK 0x0000ffffffffffffull

/* rp_ports, by port index: an egress interface. */
struct rp_port {
  __u64 mac;     /* source MAC address as it lies on the wire in bytes 0-5, bytes 6-7 zero */
  __u32 ifindex; /* 0 = free */
  __u32 zero;
};
RP_ASSERT_SIZE(struct rp_port, 16);

/* rp_flow_counts, by count index. Shared by all CPUs and added to atomically; active = opened -
 * closed. */
struct rp_flow_count {
  __u64 opened;
  __u64 closed;
  __u64 joined; /* RP_JOINED_*: the counts that this one is summed with; 0 = it stands alone */
  __u64 zero;   /* so that none lies across two cache lines */
};
RP_ASSERT_SIZE(struct rp_flow_count, 32);
RP_ASSERT_OFFSET(struct rp_flow_count, joined, 16);

/* B2: a node that had a count in each of two scopes and now is in one has both, for its flows stay in
 * the count that they began in; their sum is what it holds. Such counts are a list, in ascending
 * order of their indices: in the lower half the next one, 0 at the end; in the upper the first one,
 * so that a sum may begin anywhere. A walk goes upwards only, so it ends, also while the daemon joins
 * and parts them. */
#define RP_JOINED_NEXT(joined) ((__u32)(joined))
#define RP_JOINED_FIRST_SHIFT 32

/* rp_cursors, per CPU, by VIP number. */
struct rp_cursor {
  __u32 next;    /* roundrobin: the slot that the next new flow of this CPU takes; least_conn: the
                    position whose member it takes first of those with equal scores */
  __u32 started; /* 0 until the cursor was placed at this CPU's starting point */
};
RP_ASSERT_SIZE(struct rp_cursor, 8);

/* rp_new_flows, per CPU, one entry: the guard of F9. */
struct rp_new_flows {
  __u64 window; /* seconds, CLOCK_MONOTONIC_COARSE */
  __u64 made;   /* entries made in that second */
};
RP_ASSERT_SIZE(struct rp_new_flows, 16);

/* rp_answers, per CPU, one entry: the guard of RP_MAX_ANSWERS. */
struct rp_answers {
  __u64 window; /* seconds, CLOCK_MONOTONIC_COARSE */
  __u64 sent;   /* answers sent in that second */
};
RP_ASSERT_SIZE(struct rp_answers, 16);

/* rp_runtime, one entry, memory-mapped: switches that change while programs run. */
struct rp_runtime {
  __u32
      nat_backends; /* backends reached by nat, draining ones included; 0 = no reply lookup (F10) */
  __u32 zero;
};
RP_ASSERT_SIZE(struct rp_runtime, 8);

#endif /* RAMPART_VALUES_H */
