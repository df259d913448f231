/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which slot a new flow takes, and which backend is there; for least_conn see bpf/least.h. */
#ifndef RAMPART_BPF_SELECT_H
#define RAMPART_BPF_SELECT_H

#include "bpf/backend.h"
#include "bpf/hash.h"
#include "bpf/least.h"
#include "bpf/turns.h"
#include "bpf/vip.h"
#include "maps/slot_tables.bpf.h"
#include "rampart/limits.h"

/* Where this CPU's walk over the table begins: walks start spread over it, by multiples of the golden
 * ratio, which lie apart for any number of CPUs. */
RP_INLINE __u32 first_slot(__u32 table_size) {
  return scale(bpf_get_smp_processor_id() * (__u32)(RP_MIX_1 >> 32), table_size);
}

/* The next slot of this CPU's walk (roundrobin). */
RP_INLINE __u32 next_slot(__u32 number, __u32 table_size) {
  struct rp_cursor* cursor = cursor_of_vip(number);

  if (!cursor) return 0;
  const __u32 next = cursor->started ? cursor->next : first_slot(table_size);
  const __u32 slot = next < table_size ? next : 0;

  move_cursor(cursor, slot + 1);
  return slot;
}

/* The slot by hash: of what the VIP hashes on, or of the tuple where it does not hash (F4). */
RP_INLINE __u32 hashed_slot(const struct packet* pkt, const struct rp_vip_state* vip) {
  const enum rp_hash_on on = vip->algorithm == RP_CHASH ? vip->hash_on : RP_HASH_5TUPLE;

  return scale(slot_hash(&pkt->tuple, vip->hash_seed, on), vip->table_size);
}

/* The id in a slot: 0 if no backend is there, -1 if the table does not reach so far, which is
 * impossible (rampart/slots.h). */
RP_INLINE long id_in_slot(__u32 number, __u32 slot, __u32 half) {
  void* table = bpf_map_lookup_elem(&rp_slots, &number);

  if (!table) return -1;
  const __u32 index = RP_SLOT_BLOCK(slot, half);
  const struct rp_slot_block* block = bpf_map_lookup_elem(table, &index);

  if (!block) return -1;
  return RP_READ_ONCE(block->backend[slot % RP_SLOTS_PER_BLOCK]);
}

/* Makes the backend in pkt->slot the packet's. Goes on, or says that there is none. */
RP_INLINE enum rp_outcome take_slot(struct packet* pkt) {
  const long id = id_in_slot(pkt->vip, pkt->slot, pkt->half);

  return id < 0 ? RP_drop_no_state : take_backend(pkt, id);
}

enum slot_choice {
  BY_ALGORITHM,
  BY_HASH, /* whatever the algorithm: for a packet that must find the same backend without an entry
            */
};

/* Chooses slot and backend. The live word is read here and nowhere else, so that all of a packet's
 * reads are of one half. The algorithm is read before it: a VIP becomes a least_conn one only once its
 * members are published, so whoever sees that finds them. least_conn has a slot too, the hashed one,
 * from which nat walks on to other nodes (F11). */
RP_INLINE enum rp_outcome select_backend(struct packet* pkt, enum slot_choice choice) {
  const struct rp_vip_state* vip = vip_state(pkt->vip);

  if (!vip) return RP_drop_no_state;
  const __u32 algorithm = RP_READ_ONCE(vip->algorithm);
  const __u64 live = RP_READ_ONCE(vip->live);

  pkt->half = live & RP_LIVE_HALF;
  if (choice == BY_ALGORITHM && algorithm == RP_ROUNDROBIN) {
    pkt->slot = next_slot(pkt->vip, vip->table_size);
    return take_slot(pkt);
  }
  pkt->slot = hashed_slot(pkt, vip);
  if (choice == BY_ALGORITHM && algorithm == RP_LEAST_CONN) {
    return rp_select_least(pkt, live >> RP_LIVE_MEMBERS_SHIFT);
  }
  if (choice == BY_HASH) note(pkt, RP_WHY_BY_HASH);
  return take_slot(pkt);
}

/* --- the next other node (F11) ---------------------------------------------------------------- */

struct walk {
  __u32 vip;
  __u32 half;
  __u32 table_size;
  __u32 slot;
  __u16 tried[RP_NAT_TRIES]; /* ids to pass over; 0 for none */
  __u32 found;               /* 1 if `slot` names another node */
};

static long walk_step(__u32 step, void* context) {
  struct walk* walk = context;

  (void)step;
  walk->slot = walk->slot + 1 < walk->table_size ? walk->slot + 1 : 0;
  const long id = id_in_slot(walk->vip, walk->slot, walk->half);

  if (id <= 0) return 1;
  for (int i = 0; i < RP_NAT_TRIES; i++) {
    if (walk->tried[i] == id) return 0;
  }
  walk->found = 1;
  return 1;
}

/* Moves on from walk->slot to the next slot of a node that was not tried. */
RP_INLINE bool walk_on(struct walk* walk) {
  walk->found = 0;
  bpf_loop(RP_NAT_WALK, walk_step, walk, 0);
  return walk->found;
}

#endif /* RAMPART_BPF_SELECT_H */
