/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a flow's word means and how packets change it, as functions of values (F2, F6, F7).
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

#include "bpf/parse.h"
#include "rampart/keys.h"
#include "rampart/values.h"

/* --- the word --------------------------------------------------------------------------------- */

RP_INLINE __u32 word_backend(__u64 word) {
  return (__u16)word;
}
RP_INLINE __u32 word_incarnation(__u64 word) {
  return (__u16)(word >> RP_FLOW_INCARNATION_SHIFT);
}
RP_INLINE __u32 word_state(__u64 word) {
  return (__u8)(word >> RP_FLOW_STATE_SHIFT);
}
RP_INLINE __u32 word_marks(__u64 word) {
  return (__u8)(word >> RP_FLOW_MARK_SHIFT);
}
RP_INLINE __u32 word_tag(__u64 word) {
  return (__u16)(word >> RP_FLOW_TAG_SHIFT);
}

RP_INLINE __u64 make_word(__u32 backend, __u32 incarnation, __u32 state, __u32 tag) {
  return (__u64)backend | (__u64)incarnation << RP_FLOW_INCARNATION_SHIFT |
         (__u64)state << RP_FLOW_STATE_SHIFT | (__u64)tag << RP_FLOW_TAG_SHIFT;
}

RP_INLINE __u64 with_state(__u64 word, __u32 state) {
  return (word & ~(0xffull << RP_FLOW_STATE_SHIFT)) | (__u64)state << RP_FLOW_STATE_SHIFT;
}

RP_INLINE __u64 with_mark(__u64 word, __u32 mark) {
  return word | (__u64)mark << RP_FLOW_MARK_SHIFT;
}

/* Same entry, same backend, same incarnation: the flow did not change hands. */
RP_INLINE bool same_flow(__u64 a, __u64 b) {
  return word_tag(a) == word_tag(b) && (__u32)a == (__u32)b;
}

RP_INLINE bool holds_count(__u64 word) {
  const __u32 state = word_state(word);

  if (word_marks(word) & RP_FLOW_REPLY) return false;
  return state == RP_FLOW_SYN || state == RP_FLOW_ESTABLISHED || state == RP_FLOW_UDP;
}

/* --- time (F7) -------------------------------------------------------------------------------- */

RP_INLINE __u32 flow_timeout(const struct rp_vip_state* vip, __u32 state) {
  if (state == RP_FLOW_SYN) return vip->timeout_syn;
  if (state == RP_FLOW_ESTABLISHED) return vip->timeout_established;
  if (state == RP_FLOW_CLOSING) return vip->timeout_closing;
  if (state == RP_FLOW_UDP) return vip->timeout_udp;
  return 0;
}

/* `seen` may be ahead of `now` by what another CPU just wrote. */
RP_INLINE bool is_expired(__u64 word, __u32 seen, const struct rp_vip_state* vip, __u32 now) {
  return (__s32)(now - seen) >= (__s32)flow_timeout(vip, word_state(word));
}

/* --- packets ---------------------------------------------------------------------------------- */

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

    return with_state(word, is_end ? RP_FLOW_CLOSING : RP_FLOW_ESTABLISHED);
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

/* --- hashes ----------------------------------------------------------------------------------- */

/* Two multiplications by odd constants with many bits set, each followed by a fold of the high
 * half, where a multiplication mixes best, into the low half. */
#define RP_MIX_1 0x9e3779b97f4a7c15ull /* 2^64 / golden ratio */
#define RP_MIX_2 0x243f6a8885a308d3ull /* 2^64 * the fraction of pi */

RP_INLINE __u64 mix(__u64 hash, __u64 value) {
  hash = (hash ^ value) * RP_MIX_1;
  return hash ^ hash >> 32;
}

RP_INLINE __u64 mix_address(__u64 hash, const struct rp_addr* address) {
  hash = mix(hash, (__u64)address->word[0] << 32 | address->word[1]);
  return mix(hash, (__u64)address->word[2] << 32 | address->word[3]);
}

RP_INLINE __u64 mix_last(__u64 hash) {
  hash *= RP_MIX_2;
  return hash ^ hash >> 32;
}

/* The slot hash (W7, F12): the same on all balancers with the same seed. The VIP's own address,
 * port and protocol are in the seed; the port that was addressed counts for a VIP of every port. */
RP_INLINE __u32 slot_hash(const struct rp_flow_key* tuple, __u32 seed, enum rp_hash_on hash_on) {
  const __u64 ports = (__u64)tuple->source_port << 16 | tuple->destination_port;
  __u64 hash = mix_address(seed + RP_MIX_2, &tuple->source);

  if (hash_on != RP_HASH_SOURCE_IP) hash = mix(hash, ports);
  return mix_last(hash) >> 32;
}

/* Scales a hash to [0, table_size) by its high bits, without a division. */
RP_INLINE __u32 scale(__u32 hash, __u32 table_size) {
  return (__u64)hash * table_size >> 32;
}

/* 16 bits of a hash of a flow table's key (RP_FLOW_TAG_SHIFT). */
RP_INLINE __u32 flow_tag(const struct rp_flow_key* key) {
  const __u64 ports = (__u64)key->source_port << 32 | (__u64)key->destination_port << 16;
  __u64 hash = mix_address(key->protocol, &key->source);

  hash = mix(mix_address(hash, &key->destination), ports);
  return mix_last(hash) >> 48;
}

#endif /* RAMPART_BPF_FLOW_H */
