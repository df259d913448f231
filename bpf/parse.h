/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* From bytes to `struct packet`, in two steps: only a packet for a VIP may be dropped (X9).
 *
 *   parse()     reads no more than the tuple; what cannot be told to be for a VIP passes
 *   check_l4()  reads the rest of the headers, once a VIP claims the packet; what is cut short or
 *               contradicts itself is then malformed
 *
 * Lengths are those of the IP header where it says less than the frame: bytes behind the datagram
 * are Ethernet padding, not ports. Host-compilable: no helper, no map. */
#ifndef RAMPART_BPF_PARSE_H
#define RAMPART_BPF_PARSE_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include "bpf/cursor.h"
#include "rampart/flows.h"
#include "rampart/outcomes.h"

/* TCP's flags as they lie in byte 13 of its header. */
#define RP_TCP_FLAGS_OFFSET 13
#define RP_TCP_FIN 0x01
#define RP_TCP_SYN 0x02
#define RP_TCP_RST 0x04
#define RP_TCP_ACK 0x10

#define RP_IP_MORE_FRAGMENTS 0x2000
#define RP_IP_FRAGMENT_OFFSET 0x1fff

#define RP_L3_OFFSET sizeof(struct ethhdr)

/* What is known of a packet, filled in step by step. */
struct packet {
  struct rp_tuple tuple; /* parse(): as it stands in the packet */
  __u32 frame_bytes;     /* parse(): as received */
  __u16 total_bytes;     /* parse(): IP header and what follows, as the IP header says */
  __u16 payload_bytes;   /* check_l4(): behind the L4 header */
  __u8 l4;               /* parse(): offset of the L4 header in the frame */
  __u8 tos;              /* parse() */
  __u8 ttl;              /* parse() */
  __u8 first_fragment;   /* parse(): 1 if more fragments follow */
  __u8 tcp_flags;        /* check_l4(): RP_TCP_*; 0 for UDP */

  __u8 half;         /* choose: which half of the slot tables is read, from the live word */
  __u8 reply_made;   /* choose: 1 if the reply entry is this packet's work (nat) */
  __u8 why;          /* choose: RP_WHY_*, of a packet that is to be explained */
  __u32 vip;         /* find_vip: VIP number; RP_NO_VIP until one is known */
  __u32 now;         /* choose: seconds (bpf/clock.h), in as many bits as a word has for them */
  __u32 slot;        /* choose: the slot that named the backend */
  __u32 backend;     /* choose: id; 0 until one is chosen */
  __u32 incarnation; /* choose: of that id */
  __u64 tag;         /* choose: of the tuple */
};

RP_INLINE void set_v4(struct rp_addr* address, __be32 v4) {
  address->word[0] = 0;
  address->word[1] = 0;
  address->word[2] = RP_V4_MAPPED;
  address->word[3] = v4;
}

RP_INLINE enum rp_outcome parse_ports(struct cursor frame, struct packet* pkt) {
  const __u32 l4 = pkt->l4 - (__u32)RP_L3_OFFSET; /* bytes of IP header */
  const __be16* ports = (const __be16*)reach(frame, pkt->l4, 4);

  if (!ports || pkt->total_bytes < l4 + 4) return RP_pass_unreadable;
  pkt->tuple.source_port = ports[0];
  pkt->tuple.destination_port = ports[1];
  return RP_GO_ON;
}

RP_INLINE enum rp_outcome parse_ipv4(struct cursor frame, struct packet* pkt) {
  const struct iphdr* ip = (const struct iphdr*)reach(frame, RP_L3_OFFSET, sizeof(*ip));

  if (!ip) return RP_pass_unreadable;
  if (ip->version != 4) return RP_pass_not_ipv4;
  if (ip->ihl < 5) return RP_pass_unreadable;
  if (ip->protocol != IPPROTO_TCP && ip->protocol != IPPROTO_UDP) return RP_pass_protocol;
  if (RP_HOST16(ip->frag_off) & RP_IP_FRAGMENT_OFFSET) return RP_pass_fragment;

  set_v4(&pkt->tuple.source, ip->saddr);
  set_v4(&pkt->tuple.destination, ip->daddr);
  pkt->tuple.protocol = ip->protocol;
  pkt->total_bytes = RP_HOST16(ip->tot_len);
  pkt->tos = ip->tos;
  pkt->ttl = ip->ttl;
  pkt->first_fragment = (RP_HOST16(ip->frag_off) & RP_IP_MORE_FRAGMENTS) != 0;
  pkt->l4 = RP_L3_OFFSET + ip->ihl * 4;
  return parse_ports(frame, pkt);
}

/* Reads the tuple. REQUIRES: *pkt is zero. */
RP_INLINE enum rp_outcome parse(struct cursor frame, struct packet* pkt) {
  const struct ethhdr* eth = (const struct ethhdr*)reach(frame, 0, sizeof(*eth));

  pkt->frame_bytes = length_of(frame);
  if (!eth) return RP_pass_unreadable;
  if (eth->h_proto != RP_BE16(ETH_P_IP)) return RP_pass_not_ipv4;
  return parse_ipv4(frame, pkt);
}

RP_INLINE enum rp_outcome check_tcp(struct cursor frame, __u32 l4_bytes, struct packet* pkt) {
  const struct tcphdr* tcp = (const struct tcphdr*)reach(frame, pkt->l4, sizeof(*tcp));

  if (!tcp || tcp->doff < 5 || l4_bytes < tcp->doff * 4u) return RP_drop_malformed;
  pkt->tcp_flags = ((const __u8*)tcp)[RP_TCP_FLAGS_OFFSET];
  pkt->payload_bytes = l4_bytes - tcp->doff * 4u;
  return RP_GO_ON;
}

RP_INLINE enum rp_outcome check_udp(struct cursor frame, __u32 l4_bytes, struct packet* pkt) {
  const struct udphdr* udp = (const struct udphdr*)reach(frame, pkt->l4, sizeof(*udp));

  if (!udp || RP_HOST16(udp->len) < sizeof(*udp)) return RP_drop_malformed;
  if (RP_HOST16(udp->len) > l4_bytes) return RP_drop_malformed;
  pkt->payload_bytes = RP_HOST16(udp->len) - sizeof(*udp);
  return RP_GO_ON;
}

/* Reads the rest of the L4 header; after it, the header lies whole within frame and datagram.
 * REQUIRES: parse() went on. */
RP_INLINE enum rp_outcome check_l4(struct cursor frame, struct packet* pkt) {
  const __u32 l4_bytes = pkt->total_bytes - (pkt->l4 - (__u32)RP_L3_OFFSET);

  if (RP_L3_OFFSET + pkt->total_bytes > pkt->frame_bytes) return RP_drop_malformed;
  if (pkt->tuple.protocol == IPPROTO_TCP) return check_tcp(frame, l4_bytes, pkt);
  return check_udp(frame, l4_bytes, pkt);
}

#endif /* RAMPART_BPF_PARSE_H */
