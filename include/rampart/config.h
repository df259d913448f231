/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Load-time switches: one const volatile struct in the object's .rodata, set by the loader before
 * the verifier sees it, so that what is off is dead code. They change only with a freshly loaded
 * program. */
#ifndef RAMPART_CONFIG_H
#define RAMPART_CONFIG_H

#include "rampart/abi.h"

struct rp_load_config {
  __u32 new_flow_limit_per_cpu; /* flow entries a second and CPU; 0 = no limit (F9) */
  __u32 flow_buckets;           /* of rp_flows: RP_FLOW_BUCKETS(max_flows) */
  __u32 explains;               /* 1: no effects (bpf/effects.h); for rampart_explain alone */
};
RP_ASSERT_SIZE(struct rp_load_config, 12);

#endif /* RAMPART_CONFIG_H */
