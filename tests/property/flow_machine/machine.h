/* SPDX-License-Identifier: Apache-2.0 */
/* The packet path's flow table (bpf/flowtable.h), and a nat flow's pair of entries in it, as a
 * machine on the host, which stops before each access to shared memory: a test decides who goes on,
 * and so can take every path of two CPUs through each other. One address space, one thread, several
 * coroutines. */
#ifndef RAMPART_TESTS_PROPERTY_FLOW_MACHINE_MACHINE_H
#define RAMPART_TESTS_PROPERTY_FLOW_MACHINE_MACHINE_H

#include "rampart/flows.h"
#include "rampart/values.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MACHINE_BUCKETS 4
#define MACHINE_BACKENDS 4
#define MACHINE_CPUS 3
#define MACHINE_TWIN 3 /* the node of backend 1, behind another VIP */

/* Called before each access to an entry or a count. */
extern void (*machine_step)(void);
/* Says whose turn it is. */
extern __u32 machine_cpu;

extern struct rp_flow_bucket machine_flows[MACHINE_BUCKETS];
extern struct rp_flow_count machine_counts[MACHINE_BACKENDS];

/* Empty; every backend serves, every VIP has timeouts; so many buckets are used. */
void machine_reset(__u32 buckets);

/* What the packet path does: a first packet (place, RP_FLOW_FULL or RP_FLOW_LOST), any other packet by
 * its TCP flags (the word it went by, 0 if it found none), and the end of an entry by the sweep. */
int machine_begin(__u64 tag, __u64 word);
__u64 machine_packet(__u64 tag, __u8 tcp_flags, __u32 now);
void machine_sweep(__u64 tag);

/* The same of a nat flow (bpf/reply.h), the one client's: its tags; its first packet, when it is the
 * turn of `backend`, 1 or 2; its reply entry made, by the flow's own word (a REPLY_*), and undone; a
 * packet of the client, and one of backend 1. */
__u64 machine_own_tag(void);
__u64 machine_reply_tag(__u32 backend);
void machine_begin_pair(__u32 backend, __u32 now);
int machine_bind(__u64 own);
void machine_unbind(__u64 own);
void machine_client(__u8 tcp_flags, __u16 payload_bytes, __u32 now);
void machine_answer(__u8 tcp_flags, __u32 now);

#ifdef __cplusplus
}
#endif

#endif /* RAMPART_TESTS_PROPERTY_FLOW_MACHINE_MACHINE_H */
