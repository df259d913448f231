/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A packet that is for no VIP may be a backend's answer in a nat flow: its source becomes the VIP,
 * and it goes on to the client by the kernel's routes. Anything else passes: nothing that is not
 * known to be such an answer is ever dropped (X9, F10). */
#ifndef RAMPART_BPF_RETURN_H
#define RAMPART_BPF_RETURN_H

#include "bpf/clock.h"
#include "bpf/forward_l2.h"
#include "bpf/forward_nat.h"
#include "bpf/reply.h"
#include "maps/runtime.bpf.h"
#include "maps/unresolved.bpf.h"

#define RP_AF_INET 2 /* what bpf_fib_lookup() wants; <sys/socket.h> has no BPF target */

/* Any backend reached by nat? Otherwise foreign packets cost no lookup (F10). */
RP_INLINE bool has_nat_backends(void) {
  const __u32 zero = 0;
  const struct rp_runtime* runtime = bpf_map_lookup_elem(&rp_runtime, &zero);

  return runtime && RP_READ_ONCE(runtime->nat_backends);
}

/* What the reply says of the connection, its second included, is written to the flow's own entry, and
 * from there to the reply's. */
RP_INLINE void refresh_both(struct rp_flow* reply, __u64 word, const struct packet* pkt) {
  const bool is_end = is_tcp(pkt) && pkt->tcp_flags & (RP_TCP_FIN | RP_TCP_RST);
  const struct rp_backend* backend = backend_of_word(word);

  if (!backend || (!is_end && !flow_age(word, pkt->now))) return;
  const __u64 tag = own_tag(pkt, backend);
  struct rp_flow* own = find_flow(tag);
  const __u64 was = own ? read_word(own, tag) : 0;

  if (!own || !was || !same_choice(was, word) || !is_live(was, backend->vip, pkt->now)) {
    change_flow(reply, word, touched(word, pkt->now));
    return;
  }
  const __u64 after = apply_packet(own, was, pkt, tag, FROM_BACKEND);

  change_flow(reply, word, reply_word(after));
  const __u64 mirrored =
      read_word(reply, pkt->tag); /* before `latest`: it may be as old, not older */
  const __u64 latest = read_word(own, tag);

  if (!same_choice(latest, word) || !same_choice(mirrored, word)) return;
  if (mirrored != reply_word(latest)) change_flow(reply, mirrored, reply_word(latest));
}

/* Has the daemon resolve the neighbour that the routes name (X2). */
RP_INLINE void ask_for(__be32 neighbour) {
  struct rp_addr address;

  if (!has_effects()) return;
  set_v4(&address, neighbour);
  bpf_map_push_elem(&rp_unresolved, &address, BPF_EXIST);
}

/* The way to the client, by the kernel's routes and neighbours. */
RP_INLINE bool way_to_client(struct xdp_md* ctx, const struct packet* pkt,
                             const struct rp_backend* backend, struct exit_way* way) {
  struct bpf_fib_lookup fib = {
      .family = RP_AF_INET,
      .l4_protocol = pkt->tuple.protocol,
      .sport = backend->vip_port,
      .dport = pkt->tuple.destination_port,
      .tot_len = pkt->total_bytes,
      .ifindex = ctx->ingress_ifindex,
      .tos = pkt->tos,
      .ipv4_src = backend->vip_address.word[3],
      .ipv4_dst = pkt->tuple.destination.word[3],
  };
  const long result = bpf_fib_lookup(ctx, &fib, sizeof(fib), 0);

  if (result == BPF_FIB_LKUP_RET_NO_NEIGH) ask_for(fib.ipv4_dst);
  if (result != BPF_FIB_LKUP_RET_SUCCESS) return false;
  copy_mac(way->destination, fib.dmac);
  copy_mac(way->source, fib.smac);
  way->ifindex = fib.ifindex;
  return true;
}

/* Rewrites and sends a reply of the flow that `word` names. What cannot be sent changes nothing: it
 * will be sent again. */
RP_INLINE enum rp_outcome send_back(struct xdp_md* ctx, const struct packet* pkt,
                                    struct rp_flow* reply, __u64 word) {
  const struct rp_backend* backend = backend_of_word(word);
  struct exit_way way = {};

  if (!backend) return RP_pass_no_vip;
  if (!way_to_client(ctx, pkt, backend, &way)) return RP_drop_reply_unresolved;
  refresh_both(reply, word, pkt);
  const __be32 address = backend->vip_address.word[3];

  if (!rewrite_end(cursor_of(ctx), pkt, SOURCE_END, address, backend->vip_port)) {
    return RP_drop_malformed;
  }
  return send(ctx, &way, RP_reply_tx, RP_reply_redirect);
}

/* The outcome of a packet that is for no VIP. REQUIRES: parse() went on. */
static __noinline enum rp_outcome return_reply(struct xdp_md* ctx, struct packet* pkt) {
  if (!has_nat_backends() || pkt->first_fragment) return RP_pass_no_vip;
  pkt->tag = flow_tag(&pkt->tuple);
  struct rp_flow* reply = find_flow(pkt->tag);

  if (!reply || check_l4(cursor_of(ctx), pkt)) return RP_pass_no_vip;
  const __u64 word = read_word(reply, pkt->tag);
  const struct rp_backend* backend = backend_of_word(word);

  pkt->now = now_seconds();
  if (!backend || !(word_marks(word) & RP_FLOW_REPLY)) return RP_pass_no_vip;
  if (!is_live(word, backend->vip, pkt->now)) return RP_pass_no_vip;
  pkt->vip = backend->vip;
  if (pkt->ttl <= 1) return RP_pass_ttl;
  return send_back(ctx, pkt, reply, word);
}

#endif /* RAMPART_BPF_RETURN_H */
