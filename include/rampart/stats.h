/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Counters. Per CPU, so that a packet adds without a bus lock; readers sum over CPUs. */
#ifndef RAMPART_STATS_H
#define RAMPART_STATS_H

#include "rampart/abi.h"
#include "rampart/outcomes.h"

/* rp_vip_stats, per CPU, by VIP number; number RP_NO_VIP counts what no VIP is known for. The sum
 * over all outcomes of all numbers equals packets in (X10). */
struct rp_vip_stats {
  __u64 packets[RP_OUTCOME_SLOTS]; /* by enum rp_outcome */
};
RP_ASSERT_SIZE(struct rp_vip_stats, 8 * RP_OUTCOME_SLOTS);

/* rp_stats, per CPU, by backend id: what was sent to it. */
struct rp_backend_stats {
  __u64 packets;
  __u64 bytes; /* of whole frames as received */
  __u64 flows; /* flows opened */
};
RP_ASSERT_SIZE(struct rp_backend_stats, 24);

#endif /* RAMPART_STATS_H */
