/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What one run of rampart_sweep found: the context of that program, zeroed by the caller and filled
 * in by the program (BPF_PROG_TEST_RUN with ctx_in; the kernel copies it back). */
#ifndef RAMPART_SWEEP_H
#define RAMPART_SWEEP_H

#include "rampart/abi.h"

struct rp_sweep {
  __u64 seen;    /* entries in the flow table, reply entries included */
  __u64 live;    /* of these: neither expired nor stale, and so left alone */
  __u64 removed; /* of these: deleted; seen - live - removed are being deleted by someone else */
};
RP_ASSERT_SIZE(struct rp_sweep, 24);

#endif /* RAMPART_SWEEP_H */
