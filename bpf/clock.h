/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* CLOCK_BOOTTIME in seconds, which is what flows and guards reckon in. */
#ifndef RAMPART_BPF_CLOCK_H
#define RAMPART_BPF_CLOCK_H

#include "bpf/compat.h"
#include "maps/map.bpf.h"

#define RP_NS_PER_S 1000000000ull

RP_INLINE __u32 now_seconds(void) {
  return bpf_ktime_get_boot_ns() / RP_NS_PER_S;
}

#endif /* RAMPART_BPF_CLOCK_H */
