/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The clock that flows and guards reckon in: CLOCK_MONOTONIC_COARSE in seconds. It is read from
 * memory, a tenth of the cost of asking the hardware (10 ns a packet on the machines measured), and
 * behind it by a timer tick. It stands still while the machine is suspended, as flows do. */
#ifndef RAMPART_BPF_CLOCK_H
#define RAMPART_BPF_CLOCK_H

#include "bpf/compat.h"
#include "maps/map.bpf.h"

#define RP_NS_PER_S 1000000000ull

RP_INLINE __u32 now_seconds(void) {
  return bpf_ktime_get_coarse_ns() / RP_NS_PER_S;
}

#endif /* RAMPART_BPF_CLOCK_H */
