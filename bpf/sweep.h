/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The sweep: looks at every entry, and deletes those that are not live, giving their counts back
 * (F6, F7). Run by the daemon, one at a time (O7); packets may use and change entries meanwhile. */
#ifndef RAMPART_BPF_SWEEP_H
#define RAMPART_BPF_SWEEP_H

#include "bpf/flowtable.h"
#include "rampart/sweep.h"

/* Seconds. An entry that was left in RP_FLOW_LEAVING, because the kernel refused the deletion, is
 * deleted by a later sweep; one that a packet is deleting at this moment was made just now. */
#define RP_LEAVING_GRACE 2

struct sweep {
  struct rp_sweep found;
  __u32 now;
  __u32 zero;
};

RP_INLINE bool sweep_away(const struct rp_flow_key* key, struct rp_flow* flow, __u64 word,
                          __u32 now) {
  if (word_state(word) != RP_FLOW_LEAVING) return remove_flow(key, flow, word);
  if ((__s32)(now - RP_READ_ONCE(flow->seen)) < RP_LEAVING_GRACE) return false;
  return !bpf_map_delete_elem(&rp_flows, key);
}

struct bpf_map;

static long sweep_flow(struct bpf_map* map, const void* key, void* value, void* context) {
  struct rp_flow* flow = value;
  struct sweep* sweep = context;
  const __u64 word = RP_READ_ONCE(flow->word);

  (void)map;
  sweep->found.seen++;
  if (is_live(flow, word, flow->vip, sweep->now)) {
    sweep->found.live++;
  } else if (sweep_away(key, flow, word, sweep->now)) {
    sweep->found.removed++;
  }
  return 0;
}

RP_INLINE void sweep_flows(struct rp_sweep* found) {
  struct sweep sweep = {.now = now_seconds()};

  bpf_for_each_map_elem(&rp_flows, sweep_flow, &sweep, 0);
  *found = sweep.found;
}

#endif /* RAMPART_BPF_SWEEP_H */
