/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The last step of every way out: MAC addresses, and the interface. By itself it is forwarding
 * without touching the IP packet (l2, direct server return). */
#ifndef RAMPART_BPF_FORWARD_L2_H
#define RAMPART_BPF_FORWARD_L2_H

#include "bpf/backend.h"
#include "bpf/parse.h"
#include "maps/ports.bpf.h"

/* Where a frame goes. */
struct exit_way {
  __u8 destination[ETH_ALEN];
  __u8 source[ETH_ALEN];
  __u32 ifindex;
};

RP_INLINE struct cursor cursor_of(const struct xdp_md* ctx) {
  const struct cursor frame = {(__u8*)(long)ctx->data, (__u8*)(long)ctx->data_end};

  return frame;
}

/* The way to a backend; false while its next hop is unresolved (X2). The word is read once. */
RP_INLINE bool way_to_backend(const struct rp_backend* backend, struct exit_way* way) {
  const __u64 hop = RP_READ_ONCE(backend->next_hop);
  const __u32 index = (hop >> RP_HOP_PORT_SHIFT) - 1;

  if (!(hop >> RP_HOP_PORT_SHIFT)) return false;
  const struct rp_port* port = bpf_map_lookup_elem(&rp_ports, &index);

  if (!port || !port->ifindex) return false;
  copy_mac(way->destination, &hop);
  copy_mac(way->source, &port->mac);
  way->ifindex = port->ifindex;
  return true;
}

RP_INLINE bool write_macs(struct cursor frame, const struct exit_way* way) {
  struct ethhdr* eth = reach(frame, 0, sizeof(*eth));

  if (!eth) return false;
  copy_mac(eth->h_dest, way->destination);
  copy_mac(eth->h_source, way->source);
  return true;
}

/* Sends the frame: back out of the interface it came in by, or by a redirect. */
RP_INLINE enum rp_outcome send(struct xdp_md* ctx, const struct exit_way* way, enum rp_outcome tx,
                               enum rp_outcome redirect) {
  if (!write_macs(cursor_of(ctx), way)) return RP_drop_malformed;
  if (way->ifindex == ctx->ingress_ifindex) return tx;
  bpf_redirect(way->ifindex, 0);
  return redirect;
}

#endif /* RAMPART_BPF_FORWARD_L2_H */
