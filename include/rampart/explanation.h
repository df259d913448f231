/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What rampart_explain answers: where a packet would go, and by which steps. */
#ifndef RAMPART_EXPLANATION_H
#define RAMPART_EXPLANATION_H

#include "rampart/abi.h"

/* rp_explained, one entry: the last answer. */
struct rp_explanation {
  __u64 word;    /* of the flow's own entry (RP_FLOW_*, rampart/flows.h); 0 if there is none */
  __u32 outcome; /* enum rp_outcome */
  __u32 vip;     /* VIP number; RP_NO_VIP if it is for none */
  __u32 backend; /* id; 0 if none was chosen */
  __u32 slot;    /* of the slot table; least_conn has one as well, which does not decide */
  __u32 why;     /* RP_WHY_* */
  __u32 cpu;     /* that ran the program: cursors are per CPU */
};
RP_ASSERT_SIZE(struct rp_explanation, 32);

/* The steps taken. Without any: a new flow, chosen by the VIP's algorithm. */
#define RP_WHY_LIVE 0x01      /* the flow is live, and keeps its backend (F1) */
#define RP_WHY_DEAD 0x02      /* its entry is over: closed, expired, stale, or left by F3 */
#define RP_WHY_BY_HASH 0x04   /* whatever the algorithm (F4, F8, F9) */
#define RP_WHY_LIMITED 0x08   /* no entry: too many new flows in this second (F9) */
#define RP_WHY_FULL 0x10      /* no entry: nothing gives way (F8) */
#define RP_WHY_WALKED_ON 0x20 /* another flow holds the node's answers: the next node (F11) */

#endif /* RAMPART_EXPLANATION_H */
