/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Rewriting one end of a packet, address and port, with both checksums, and its TTL (X1, X3). */
#ifndef RAMPART_BPF_FORWARD_NAT_H
#define RAMPART_BPF_FORWARD_NAT_H

#include "bpf/csum.h"
#include "bpf/flow.h"
#include "bpf/parse.h"

enum packet_end { SOURCE_END, DESTINATION_END };

/* The IP header: address and TTL. Returns what the address adds to the L4 checksum; -1 if out of
 * reach. */
RP_INLINE long rewrite_ip(struct cursor frame, enum packet_end end, __be32 address) {
  struct iphdr* ip = reach(frame, RP_L3_OFFSET, sizeof(*ip));

  if (!ip) return -1;
  __be32* field = end == SOURCE_END ? &ip->saddr : &ip->daddr;
  const __u32 change = csum_change32(*field, address);
  const __u16 ttl = ip->ttl; /* the low byte of its word, in memory and so in a register */

  *field = address;
  ip->ttl = ttl - 1;
  ip->check = csum_update(ip->check, change + csum_change16(ttl, ttl - 1));
  return change;
}

RP_INLINE bool rewrite_tcp(struct cursor frame, __u32 l4, enum packet_end end, __be16 port,
                           __u32 change) {
  struct tcphdr* tcp = reach(frame, l4, sizeof(*tcp));

  if (!tcp) return false;
  __be16* field = end == SOURCE_END ? &tcp->source : &tcp->dest;

  tcp->check = csum_update(tcp->check, change + csum_change16(*field, port));
  *field = port;
  return true;
}

RP_INLINE bool rewrite_udp(struct cursor frame, __u32 l4, enum packet_end end, __be16 port,
                           __u32 change) {
  struct udphdr* udp = reach(frame, l4, sizeof(*udp));

  if (!udp) return false;
  __be16* field = end == SOURCE_END ? &udp->source : &udp->dest;

  udp->check = csum_update_udp(udp->check, change + csum_change16(*field, port));
  *field = port;
  return true;
}

/* False if a header is out of reach, which check_l4() has ruled out. REQUIRES: TTL > 1. */
RP_INLINE bool rewrite_end(struct cursor frame, const struct packet* pkt, enum packet_end end,
                           __be32 address, __be16 port) {
  const long change = rewrite_ip(frame, end, address);

  if (change < 0) return false;
  if (is_tcp(pkt)) return rewrite_tcp(frame, pkt->l4, end, port, change);
  return rewrite_udp(frame, pkt->l4, end, port, change);
}

#endif /* RAMPART_BPF_FORWARD_NAT_H */
