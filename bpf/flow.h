/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* How packets change a flow's word, as functions of values (F2, F6).
 *
 *   first packet ──► SYN ── the client's next packet but a SYN ──► ESTABLISHED
 *            │                         │      ▲
 *            │                        end     │ data after a lone FIN or RST, once (revived)
 *            │                         ▼      │
 *            └────────── end ──────► CLOSING ─┴── SYN ──► a new flow
 *
 *   end: any RST; the client's FIN where replies pass by (l2); both FINs where they do not (nat)
 *
 * SYN, ESTABLISHED and UDP hold a count; CLOSING has given it back but remembers the backend,
 * because nothing here can tell a forged RST. Whoever wins the compare-and-swap from one word to
 * the next moves the count (flowtable.h). Host-compilable: no helper, no map. */
#ifndef RAMPART_BPF_FLOW_H
#define RAMPART_BPF_FLOW_H

#include "bpf/flow_word.h"
#include "bpf/parse.h"

RP_INLINE bool is_tcp(const struct packet* pkt) {
  return pkt->tuple.protocol == IPPROTO_TCP;
}

/* Opens a connection, and does nothing else. */
RP_INLINE bool is_syn(const struct packet* pkt) {
  return (pkt->tcp_flags & (RP_TCP_SYN | RP_TCP_ACK | RP_TCP_RST | RP_TCP_FIN)) == RP_TCP_SYN;
}

/* A packet in the middle of a connection: what a flow without an entry must not choose freely (F4).
 */
RP_INLINE bool is_mid_stream(const struct packet* pkt) {
  return is_tcp(pkt) && !is_syn(pkt);
}

/* One packet shows nothing but itself, with or without a SYN: a flood of either must not hold entries
 * for longer than the SYN timeout. The client's next packet establishes the flow. */
RP_INLINE __u32 first_state(const struct packet* pkt) {
  return is_tcp(pkt) ? RP_FLOW_SYN : RP_FLOW_UDP;
}

RP_INLINE bool has_both_fins(__u64 word) {
  const __u32 both = RP_FLOW_FIN_CLIENT | RP_FLOW_FIN_BACKEND;

  return (word_marks(word) & both) == both;
}

/* Data on a closing flow shows that the FIN or RST before it was not the client's last word. Only
 * once, so that a segment that was in flight when the flow ended cannot keep it for good. */
RP_INLINE bool is_revived_by(__u64 word, const struct packet* pkt) {
  if (!pkt->payload_bytes || pkt->tcp_flags & (RP_TCP_FIN | RP_TCP_RST)) return false;
  return !(word_marks(word) & RP_FLOW_REVIVED) && !has_both_fins(word);
}

/* Whose packet it is, and whether both directions are seen here. */
enum packet_from {
  FROM_CLIENT_ONLY, /* l2: replies go past the balancer */
  FROM_CLIENT,      /* nat */
  FROM_BACKEND,     /* nat */
};

RP_INLINE __u64 after_client(__u64 word, const struct packet* pkt, enum packet_from from) {
  if (pkt->tcp_flags & RP_TCP_FIN) word = with_mark(word, RP_FLOW_FIN_CLIENT);
  if (word_state(word) == RP_FLOW_CLOSING) {
    if (!is_revived_by(word, pkt)) return word;
    return with_mark(with_state(word, RP_FLOW_ESTABLISHED), RP_FLOW_REVIVED);
  }
  if (pkt->tcp_flags & RP_TCP_RST) return with_state(word, RP_FLOW_CLOSING);
  if (pkt->tcp_flags & RP_TCP_FIN) {
    const bool is_end = from == FROM_CLIENT_ONLY || has_both_fins(word);

    /* A lone FIN is one packet, and establishes nothing. */
    return is_end ? with_state(word, RP_FLOW_CLOSING) : word;
  }
  return is_syn(pkt) ? word : with_state(word, RP_FLOW_ESTABLISHED);
}

/* A reply never revives: what the backend had in flight comes after any client's RST. */
RP_INLINE __u64 after_backend(__u64 word, const struct packet* pkt) {
  if (pkt->tcp_flags & RP_TCP_FIN) word = with_mark(word, RP_FLOW_FIN_BACKEND);
  if (pkt->tcp_flags & RP_TCP_RST || has_both_fins(word)) return with_state(word, RP_FLOW_CLOSING);
  return word;
}

/* The word of a live flow's own entry after a packet. */
RP_INLINE __u64 after_packet(__u64 word, const struct packet* pkt, enum packet_from from) {
  if (!is_tcp(pkt)) return word;
  return from == FROM_BACKEND ? after_backend(word, pkt) : after_client(word, pkt, from);
}

#endif /* RAMPART_BPF_FLOW_H */
