/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The answer of a VIP without a backend, on_no_backend: reset (W3). TCP gets a RST (RFC
 * 9293, 3.10.7.1), UDP an ICMP port unreachable (RFC 792) that quotes the IP header and eight
 * bytes. Both are limited per CPU: an answer goes to a source that anybody can forge. */
#ifndef RAMPART_BPF_RESET_H
#define RAMPART_BPF_RESET_H

#include "bpf/clock.h"
#include "bpf/csum.h"
#include "bpf/forward_l2.h"
#include "bpf/vip.h"
#include "maps/answers.bpf.h"
#include "rampart/limits.h"

#define RP_ANSWER_TTL 64
#define RP_IP_DONT_FRAGMENT 0x4000
#define RP_ICMP_QUOTED_L4 8
#define RP_MAX_IP_HEADER 60

/* RFC 792; the system's header drags in the C library, which has no BPF target. */
#define RP_ICMP_UNREACHABLE 3
#define RP_ICMP_PORT_UNREACHABLE 3

struct icmp_header {
  __u8 type;
  __u8 code;
  __u16 checksum;
  __u32 zero;
};

/* Counts an answer against this CPU's limit; false above it. */
RP_INLINE bool may_answer(void) {
  const __u32 zero = 0;
  const __u32 now = now_seconds();
  struct rp_answers* guard = bpf_map_lookup_elem(&rp_answers, &zero);

  if (!guard) return false;
  const __u64 sent = guard->window == now ? guard->sent : 0;

  if (has_effects()) {
    guard->window = now;
    guard->sent = sent + 1;
  }
  return sent < RP_MAX_ANSWERS;
}

/* The way back: where the frame came from. */
RP_INLINE bool way_back(struct cursor frame, struct exit_way* way) {
  const struct ethhdr* eth = reach(frame, 0, sizeof(*eth));

  if (!eth) return false;
  copy_mac(way->destination, eth->h_source);
  copy_mac(way->source, eth->h_dest);
  return true;
}

/* From the VIP to the client. `bytes` follow the header. */
RP_INLINE struct iphdr answer_header(const struct packet* pkt, __u8 protocol, __u32 bytes) {
  struct iphdr ip = {
      .version = 4,
      .ihl = sizeof(struct iphdr) / 4,
      .tot_len = RP_BE16(sizeof(struct iphdr) + bytes),
      .frag_off = RP_BE16(RP_IP_DONT_FRAGMENT),
      .ttl = RP_ANSWER_TTL,
      .protocol = protocol,
      .saddr = pkt->tuple.destination.word[3],
      .daddr = pkt->tuple.source.word[3],
  };

  ip.check = ~csum_fold(csum_sum(&ip, sizeof(ip)));
  return ip;
}

/* Cuts the frame to `bytes`. */
RP_INLINE bool cut_frame(struct xdp_md* ctx, __u32 bytes) {
  return !bpf_xdp_adjust_tail(ctx, (int)bytes - (int)length_of(cursor_of(ctx)));
}

/* Ethernet type and IP header of the answer; MAC addresses are written by send(). */
RP_INLINE bool write_headers(struct cursor frame, const struct exit_way* way,
                             const struct iphdr* header) {
  struct ethhdr* eth = reach(frame, 0, sizeof(*eth));
  struct iphdr* ip = reach(frame, RP_L3_OFFSET, sizeof(*ip));

  if (!eth || !ip) return false;
  eth->h_proto = RP_BE16(ETH_P_IP);
  *ip = *header;
  return write_macs(frame, way);
}

/* --- TCP -------------------------------------------------------------------------------------- */

/* Acknowledged segments are answered at what they acknowledge; others by acknowledging them. */
RP_INLINE struct tcphdr reset_segment(const struct packet* pkt, __be32 seq, __be32 ack_seq) {
  const __u32 length =
      pkt->payload_bytes + !!(pkt->tcp_flags & RP_TCP_SYN) + !!(pkt->tcp_flags & RP_TCP_FIN);
  struct tcphdr rst = {
      .source = pkt->tuple.destination_port,
      .dest = pkt->tuple.source_port,
      .doff = sizeof(struct tcphdr) / 4,
      .rst = 1,
  };

  if (pkt->tcp_flags & RP_TCP_ACK) {
    rst.seq = ack_seq;
  } else {
    rst.ack = 1;
    rst.ack_seq = RP_BE32(RP_HOST32(seq) + length);
  }
  const __u32 pseudo = csum_sum32(pkt->tuple.destination.word[3]) +
                       csum_sum32(pkt->tuple.source.word[3]) + RP_BE16(IPPROTO_TCP) +
                       RP_BE16(sizeof(struct tcphdr));

  rst.check = ~csum_fold(pseudo + csum_sum(&rst, sizeof(rst)));
  return rst;
}

RP_INLINE enum rp_outcome reset_tcp(struct xdp_md* ctx, const struct packet* pkt) {
  const struct tcphdr* asked = reach(cursor_of(ctx), pkt->l4, sizeof(*asked));
  struct exit_way way = {};

  if (!asked || !way_back(cursor_of(ctx), &way)) return RP_drop_malformed;
  const struct tcphdr rst = reset_segment(pkt, asked->seq, asked->ack_seq);
  const struct iphdr ip = answer_header(pkt, IPPROTO_TCP, sizeof(rst));

  if (!cut_frame(ctx, RP_L3_OFFSET + sizeof(ip) + sizeof(rst))) return RP_drop_no_room;
  struct tcphdr* tcp = reach(cursor_of(ctx), RP_L3_OFFSET + sizeof(ip), sizeof(rst));

  if (!tcp || !write_headers(cursor_of(ctx), &way, &ip)) return RP_drop_no_room;
  *tcp = rst;
  return RP_reset_tx;
}

/* --- UDP -------------------------------------------------------------------------------------- */

/* New headers go before the datagram's, which then lies where it is quoted; the rest is cut off. */
#define RP_ICMP_OFFSET (RP_L3_OFFSET + sizeof(struct iphdr))
#define RP_QUOTE_OFFSET (RP_ICMP_OFFSET + sizeof(struct icmp_header))
#define RP_PUSHED (RP_QUOTE_OFFSET - RP_L3_OFFSET)

/* The sum of the quote; -1 if it is out of reach. */
RP_INLINE long sum_quote(struct cursor frame, __u32 bytes) {
  __u32 sum = 0;

  for (__u32 at = 0; at < RP_MAX_IP_HEADER + RP_ICMP_QUOTED_L4; at += 4) {
    if (at >= bytes) break;
    const __u32* word = reach(frame, RP_QUOTE_OFFSET + at, 4);

    if (!word) return -1;
    sum += csum_sum32(*word);
  }
  return sum;
}

RP_INLINE enum rp_outcome refuse_udp(struct xdp_md* ctx, const struct packet* pkt) {
  const __u32 quoted = pkt->l4 - RP_L3_OFFSET + RP_ICMP_QUOTED_L4;
  const struct iphdr ip = answer_header(pkt, IPPROTO_ICMP, sizeof(struct icmp_header) + quoted);
  struct icmp_header unreachable = {.type = RP_ICMP_UNREACHABLE, .code = RP_ICMP_PORT_UNREACHABLE};
  struct exit_way way = {};

  if (!way_back(cursor_of(ctx), &way)) return RP_drop_malformed;
  if (bpf_xdp_adjust_head(ctx, -(int)RP_PUSHED)) return RP_drop_no_room;
  if (!cut_frame(ctx, RP_QUOTE_OFFSET + quoted)) return RP_drop_no_room;
  const long sum = sum_quote(cursor_of(ctx), quoted);
  struct icmp_header* icmp = reach(cursor_of(ctx), RP_ICMP_OFFSET, sizeof(*icmp));

  if (sum < 0 || !icmp || !write_headers(cursor_of(ctx), &way, &ip)) return RP_drop_no_room;
  unreachable.checksum = ~csum_fold(sum + csum_sum(&unreachable, sizeof(unreachable)));
  *icmp = unreachable;
  return RP_reset_tx;
}

/* --- both ------------------------------------------------------------------------------------- */

RP_INLINE enum rp_outcome answer(struct xdp_md* ctx, const struct packet* pkt) {
  if (pkt->tcp_flags & RP_TCP_RST) return RP_drop_no_backend; /* a RST is never answered */
  if (!may_answer()) return RP_drop_reset_limited;
  if (pkt->tuple.protocol == IPPROTO_TCP) return reset_tcp(ctx, pkt);
  return refuse_udp(ctx, pkt);
}

/* The outcome of a packet whose VIP has no backend. Global, so that it is verified once. */
__noinline int rp_without_backend(struct xdp_md* ctx, const struct packet* pkt) {
  if (!pkt) return RP_drop_no_state;
  const struct rp_vip_state* vip = vip_state(pkt->vip);

  if (!vip) return RP_drop_no_state;
  if (vip->on_no_backend == RP_NO_BACKEND_PASS) return RP_pass_no_backend;
  if (vip->on_no_backend == RP_NO_BACKEND_RESET) return answer(ctx, pkt);
  return RP_drop_no_backend;
}

#endif /* RAMPART_BPF_RESET_H */
