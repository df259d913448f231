/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Effects: all that a packet changes besides itself, which is words of maps. A program that explains
 * (rampart_explain) takes the same steps, and is loaded with effects off: to the verifier that is a
 * constant, so the other program pays nothing for the question. Whatever writes to a map asks here,
 * and goes on as if it had written: nobody else came first.
 *
 * Host-compilable: no helper, no map. */
#ifndef RAMPART_BPF_EFFECTS_H
#define RAMPART_BPF_EFFECTS_H

#include "bpf/load_config.h"
#include "bpf/parse.h"
#include "rampart/explanation.h"

RP_INLINE bool has_effects(void) {
  return !rp_config.explains;
}

/* Has the explanation say so. `reason` is a RP_WHY_*. */
RP_INLINE void note(struct packet* pkt, __u8 reason) {
  if (!has_effects()) pkt->why |= reason;
}

#endif /* RAMPART_BPF_EFFECTS_H */
