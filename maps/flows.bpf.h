/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The flow table: tuple to backend. The kernel's plain hash with an expiry of our own, not its LRU:
 * no live flow is ever evicted, and a count is given back by whoever closes the word (F6).
 * Preallocated, so that making an entry never waits for memory; an element that is deleted is
 * re-used at once, which is what the tag in the word is for (RP_FLOW_TAG_SHIFT). Only
 * bpf/flowtable.h and bpf/sweep.h know that it is a hash. */
#ifndef RAMPART_MAPS_FLOWS_BPF_H
#define RAMPART_MAPS_FLOWS_BPF_H

#include "maps/map.bpf.h"
#include "rampart/keys.h"
#include "rampart/values.h"

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1048576);
  __type(key, struct rp_flow_key);
  __type(value, struct rp_flow);
} rp_flows SEC(".maps");

#endif /* RAMPART_MAPS_FLOWS_BPF_H */
