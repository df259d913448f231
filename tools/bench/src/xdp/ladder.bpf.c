/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The packet path, cut off after each of its steps: what a rung costs more than the one below it is
 * what its step costs. All return alike, and the compiler must believe that somebody reads what the
 * last step found. */
#include "bpf/rampart.bpf.c"

#define RUNG(name, steps)                          \
  SEC("?xdp")                                      \
  int name(struct xdp_md* ctx) {                   \
    struct packet pkt = {};                        \
                                                   \
    steps(ctx, &pkt);                              \
    __asm__ volatile("" : : "r"(&pkt) : "memory"); \
    return XDP_TX;                                 \
  }

RP_INLINE void to_parse(struct xdp_md* ctx, struct packet* pkt) {
  parse(cursor_of(ctx), pkt);
}

RP_INLINE bool to_vip(struct xdp_md* ctx, struct packet* pkt) {
  to_parse(ctx, pkt);
  return find_vip(pkt);
}

RP_INLINE void to_tag(struct xdp_md* ctx, struct packet* pkt) {
  if (!to_vip(ctx, pkt)) return;
  check_l4(cursor_of(ctx), pkt);
  pkt->now = now_seconds();
  pkt->tag = flow_tag(&pkt->tuple);
}

RP_INLINE void to_find(struct xdp_md* ctx, struct packet* pkt) {
  to_tag(ctx, pkt);
  pkt->slot = rp_find(pkt->tag);
}

/* In place of to_find(), which is a part of it. */
RP_INLINE void to_choose(struct xdp_md* ctx, struct packet* pkt) {
  if (!to_vip(ctx, pkt)) return;
  check_l4(cursor_of(ctx), pkt);
  choose_backend(pkt);
}

RP_INLINE void to_forward(struct xdp_md* ctx, struct packet* pkt) {
  to_choose(ctx, pkt);
  forward(ctx, pkt);
}

RUNG(rung_parse, to_parse)
RUNG(rung_vip, to_vip)
RUNG(rung_tag, to_tag)
RUNG(rung_find, to_find)
RUNG(rung_choose, to_choose)
RUNG(rung_forward, to_forward)
