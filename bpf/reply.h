/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The second entry of a nat flow, by which a backend's answer is told to be one (F11).
 *
 *   own entry    client:port -> VIP:port        holds the count and the TCP state
 *   reply entry  backend:port -> client:port    mirrors backend and state, marked RP_FLOW_REPLY
 *
 * The reply entry is made first: two VIPs may share a node, and a client may use one port towards
 * both. The node would then answer both flows from and to the same tuple, so whoever comes second
 * must take another node. The two entries change together, seconds included, so that they expire
 * together; a reply entry that is missing then is made again. */
#ifndef RAMPART_BPF_REPLY_H
#define RAMPART_BPF_REPLY_H

#include "bpf/flowtable.h"

enum reply_bind {
  REPLY_GONE, /* the entry was swept while it was looked at */
  REPLY_MADE, /* it was not ours before */
  REPLY_OURS, /* it is there already: this flow's, or its race with another CPU */
  REPLY_HELD, /* by another live flow */
  REPLY_FULL, /* no room in the flow table */
};

/* The tag of the reply entry, by the client's packet and the backend's id; 0 if there is none of that
 * id. Global: the tuple lies in a frame that is gone before an entry is made, and 6.1 has no room for
 * both. */
__noinline __u64 rp_reply_tag(const struct packet* pkt, __u32 id) {
  const struct rp_backend* backend = backend_by_id(id);

  if (!pkt || !backend) return 0;
  const struct rp_tuple tuple = {
      .source = backend->address,
      .destination = pkt->tuple.source,
      .source_port = backend->port,
      .destination_port = pkt->tuple.source_port,
      .protocol = pkt->tuple.protocol,
  };

  return flow_tag(&tuple);
}

/* The tag of the flow's own entry, from a reply. */
RP_INLINE __u64 own_tag(const struct packet* reply, const struct rp_backend* backend) {
  const struct rp_tuple tuple = {
      .source = reply->tuple.destination,
      .destination = backend->vip_address,
      .source_port = reply->tuple.destination_port,
      .destination_port = backend->vip_port,
      .protocol = reply->tuple.protocol,
  };

  return flow_tag(&tuple);
}

/* What the reply entry says when the own entry says `own`. */
RP_INLINE __u64 reply_word(__u64 own) {
  const __u64 word =
      make_word(word_backend(own), word_incarnation(own), word_state(own), word_seen(own));

  return with_mark(word, RP_FLOW_REPLY);
}

RP_INLINE bool is_reply_of(__u64 word, __u32 id) {
  return word_marks(word) & RP_FLOW_REPLY && word_backend(word) == id;
}

/* Live by the timeouts of its backend's VIP. */
RP_INLINE bool is_live_reply(__u64 word, __u32 now) {
  const struct rp_backend* backend = backend_by_id(word_backend(word));

  return backend && is_live(word, backend->vip, now);
}

/* Makes an entry that exists say `word`, if it is this flow's or nobody's. */
RP_INLINE enum reply_bind take_reply(struct rp_flow* reply, __u64 tag, __u64 word, __u32 now) {
  const __u64 was = read_word(reply, tag);
  const bool ours = is_reply_of(was, word_backend(word));

  if (!was) return REPLY_GONE;
  if (!ours && is_live_reply(was, now)) return REPLY_HELD;
  if (was != word && !replace_flow(reply, was, word)) return REPLY_GONE;
  return ours ? REPLY_OURS : REPLY_MADE;
}

/* Makes or refreshes the reply entry of the client's packet `pkt`, whose flow's own word is `own`.
 * Global, so that it is verified once: creation tries it for several nodes, and every packet that
 * changes a flow's word refreshes by it. */
__noinline int rp_bind_reply(const struct packet* pkt, __u64 own) {
  if (!pkt) return REPLY_HELD;
  const __u64 tag = rp_reply_tag(pkt, word_backend(own));
  const __u64 word = reply_word(own);

  for (int i = 0; i < RP_SWAP_TRIES; i++) {
    struct rp_flow* reply = find_flow(tag);
    const enum reply_bind bind = reply ? take_reply(reply, tag, word, pkt->now) : REPLY_GONE;

    if (bind != REPLY_GONE) return bind;
    const int place = rp_make_flow(tag, word, pkt);

    if (place >= 0) return REPLY_MADE;
    if (place == RP_FLOW_FULL) return REPLY_FULL;
  }
  return REPLY_HELD;
}

/* Frees the reply entry that rp_bind_reply() made for a flow that did not come to be. */
__noinline int rp_unbind_reply(const struct packet* pkt, __u64 own) {
  if (!pkt) return 0;
  const __u64 tag = rp_reply_tag(pkt, word_backend(own));
  struct rp_flow* reply = find_flow(tag);

  if (!reply) return 0;
  const __u64 word = read_word(reply, tag);

  return is_reply_of(word, word_backend(own)) && free_flow(reply, word);
}

#endif /* RAMPART_BPF_REPLY_H */
