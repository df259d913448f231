/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The backend of a VIP's packet: the one its flow has, or a new one (F1-F4, F8, F9, F11).
 *
 *   live entry            keep_flow      its backend; the packet's flags change its word
 *   dead entry, or none   begin_flow     choose; swap the word in place, or make an entry
 *   no room for an entry  rp_go_by_hash  choose by hash, which needs no memory; nat cannot
 */
#ifndef RAMPART_BPF_CHOOSE_H
#define RAMPART_BPF_CHOOSE_H

#include "bpf/clock.h"
#include "bpf/reply.h"
#include "bpf/select.h"
#include "maps/new_flows.bpf.h"

/* F9: counts an entry against this CPU's limit; false above it. */
RP_INLINE bool may_make_entry(__u32 now) {
  const __u32 zero = 0;
  struct rp_new_flows* guard = bpf_map_lookup_elem(&rp_new_flows, &zero);

  if (!guard || !rp_config.new_flow_limit_per_cpu) return true;
  const __u64 made = guard->window == now ? guard->made : 0;

  if (has_effects()) {
    guard->window = now;
    guard->made = made + 1;
  }
  if (made < rp_config.new_flow_limit_per_cpu) return true;
  RP_COUNT_IN_FLOW_STATS(limited);
  return false;
}

RP_INLINE bool is_nat(const struct packet* pkt) {
  const struct rp_backend* backend = backend_by_id(pkt->backend);

  return backend && backend->forward == RP_FORWARD_NAT;
}

/* A routed packet whose TTL is used up is the kernel's to answer, before anything changes (X3). */
RP_INLINE bool is_used_up(const struct packet* pkt) {
  return is_nat(pkt) && pkt->ttl <= 1;
}

RP_INLINE __u64 own_word(const struct packet* pkt) {
  return make_word(pkt->backend, pkt->incarnation, first_state(pkt), pkt->now);
}

/* --- a live flow ------------------------------------------------------------------------------ */

/* The packet goes where its flow goes. REQUIRES: `word` is live. */
static __noinline enum rp_outcome keep_flow(struct rp_flow* flow, __u64 word, struct packet* pkt) {
  note(pkt, RP_WHY_LIVE);
  pkt->backend = word_backend(word);
  pkt->incarnation = word_incarnation(word);
  if (is_used_up(pkt)) return RP_pass_ttl;
  const enum packet_from from = is_nat(pkt) ? FROM_CLIENT : FROM_CLIENT_ONLY;
  const __u64 after = apply_packet(flow, word, pkt, pkt->tag, from);

  if (after == word || !is_nat(pkt)) return RP_GO_ON;
  rp_bind_reply(pkt, after);
  /* A reply that changed the flow meanwhile has written its own view: whoever writes last looks again. */
  const __u64 latest = read_word(flow, pkt->tag);

  if (latest && latest != after) rp_bind_reply(pkt, latest);
  return RP_GO_ON;
}

/* --- a new flow ------------------------------------------------------------------------------- */

/* F8, F9: no entry can be made. By hash a packet finds the same backend as long as the table
 * stands; a nat flow without an entry would have no way back. */
__noinline int rp_go_by_hash(struct packet* pkt) {
  if (!pkt) return RP_drop_no_state;
  const enum rp_outcome out = select_backend(pkt, BY_HASH);

  if (out) return out;
  if (is_used_up(pkt)) return RP_pass_ttl;
  return is_nat(pkt) ? RP_drop_table_full : RP_GO_ON;
}

/* Finds a node whose answers can be told from those of other flows, beginning with the one
 * selected. */
RP_INLINE enum rp_outcome bind_some_node(struct packet* pkt, __u32 table_size) {
  struct walk walk = {.vip = pkt->vip, .half = pkt->half, .table_size = table_size};

  for (int i = 0; i < RP_NAT_TRIES && is_nat(pkt); i++) {
    const int bind = rp_bind_reply(pkt, own_word(pkt));

    if (bind == REPLY_FULL) {
      note(pkt, RP_WHY_FULL);
      RP_COUNT_IN_FLOW_STATS(refused);
      return RP_drop_table_full;
    }
    pkt->reply_made = bind == REPLY_MADE;
    if (bind != REPLY_HELD) return RP_GO_ON;
    note(pkt, RP_WHY_WALKED_ON);
    walk.tried[i] = pkt->backend;
    walk.slot = pkt->slot;
    if (!walk_on(&walk)) return RP_drop_nat_collision;
    pkt->slot = walk.slot;
    const enum rp_outcome out = take_slot(pkt);

    if (out) return out;
  }
  return is_nat(pkt) ? RP_drop_nat_collision : RP_GO_ON;
}

/* A backend for a new flow, and in nat its way back. Global, so that it is verified once. */
__noinline int rp_choose_anew(struct packet* pkt) {
  if (!pkt) return RP_drop_no_state;
  const struct rp_vip_state* vip = vip_state(pkt->vip);

  if (!vip) return RP_drop_no_state;
  const enum rp_outcome out = select_backend(pkt, is_mid_stream(pkt) ? BY_HASH : BY_ALGORITHM);

  if (out) return out;
  if (is_used_up(pkt)) return RP_pass_ttl;
  return bind_some_node(pkt, vip->table_size);
}

/* Another CPU's packet of this flow came first: its choice stands, and this packet's is undone. */
RP_INLINE enum rp_outcome follow_winner(struct packet* pkt) {
  const int place = rp_find_winner(pkt->tag);
  struct rp_flow* flow = place >= 0 ? flow_at(place) : NULL;
  const __u64 word = flow ? read_word(flow, pkt->tag) : 0;

  if (!flow || !word || !is_live(word, pkt->vip, pkt->now)) return rp_go_by_hash(pkt);
  if (pkt->reply_made && word_backend(word) != pkt->backend) rp_unbind_reply(pkt, own_word(pkt));
  return keep_flow(flow, word, pkt);
}

/* Gives the flow its entry: takes the dead one over, or makes one. A dead entry that is no longer what
 * it was has been swept, or another CPU has taken it over, which rp_make_flow() will see. */
RP_INLINE int write_entry(struct rp_flow* dead, __u64 was, const struct packet* pkt) {
  if (dead && replace_flow(dead, was, own_word(pkt))) return 0;
  return rp_make_flow(pkt->tag, own_word(pkt), pkt);
}

/* No entry could be made; the reply entry that was is of no use. */
RP_INLINE enum rp_outcome go_without_entry(struct packet* pkt) {
  RP_COUNT_IN_FLOW_STATS(refused);
  note(pkt, RP_WHY_FULL);
  if (pkt->reply_made) rp_unbind_reply(pkt, own_word(pkt));
  return rp_go_by_hash(pkt);
}

/* Begins a flow; `dead` is the entry of the former one, whose word is `was`, or NULL. */
RP_INLINE enum rp_outcome begin_flow(struct rp_flow* dead, __u64 was, struct packet* pkt) {
  if (dead) note(pkt, RP_WHY_DEAD);
  if (!dead && !may_make_entry(pkt->now)) {
    note(pkt, RP_WHY_LIMITED);
    return rp_go_by_hash(pkt);
  }
  if (!dead && !is_syn(pkt)) touch_origins(pkt->tag);
  const enum rp_outcome out = rp_choose_anew(pkt);

  if (out) return out;
  const int made = write_entry(dead, was, pkt);

  if (made == RP_FLOW_FULL) return go_without_entry(pkt);
  if (made < 0) return follow_winner(pkt);
  count_new_flow(pkt->backend);
  if (!(pkt->tcp_flags & (RP_TCP_FIN | RP_TCP_RST)) || !has_effects()) return RP_GO_ON;
  return follow_winner(pkt); /* a FIN or RST that begins a flow also ends it */
}

/* --- both ------------------------------------------------------------------------------------- */

enum entry_use { NO_ENTRY, LIVE_ENTRY, DEAD_ENTRY };

/* Of what use an entry is to the packet. A closing flow lives, except for a SYN (F2); a flow whose
 * backend is down may have to leave it (F3), while the answers that the backend still has pass. */
RP_INLINE enum entry_use use_of(__u64 word, const struct packet* pkt) {
  if (!word) return NO_ENTRY;
  if (word_state(word) == RP_FLOW_CLOSING && is_syn(pkt)) return DEAD_ENTRY;
  if (!is_live(word, pkt->vip, pkt->now)) return DEAD_ENTRY;
  return must_move(word) ? DEAD_ENTRY : LIVE_ENTRY;
}

/* Chooses pkt->backend. Goes on, or RP_drop_no_backend, which on_no_backend turns into an answer
 * (W3). */
static __noinline enum rp_outcome choose_backend(struct packet* pkt) {
  pkt->now = now_seconds();
  pkt->tag = flow_tag(&pkt->tuple);
  if (is_syn(pkt)) touch_places(pkt->tag);
  struct rp_flow* flow = find_flow(pkt->tag);
  const __u64 word = flow ? read_word(flow, pkt->tag) : 0;
  const enum entry_use use = use_of(word, pkt);

  /* Addressed to a VIP, yet the answer of a nat flow whose client forged the VIP's address: it is no
   * flow of the VIP, and must not touch that one. */
  if (word_marks(word) & RP_FLOW_REPLY) return rp_go_by_hash(pkt);
  if (flow && use == LIVE_ENTRY) return keep_flow(flow, word, pkt);
  return begin_flow(use == DEAD_ENTRY ? flow : NULL, word, pkt);
}

#endif /* RAMPART_BPF_CHOOSE_H */
