/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The second entry of a nat flow, by which a backend's answer is told to be one (F11).
 *
 *   own entry    client:port -> VIP:port        holds the count and the TCP state
 *   reply entry  backend:port -> client:port    mirrors backend and state, marked RP_FLOW_REPLY
 *
 * The reply entry is made first: two VIPs may share a node, and a client may use one port towards
 * both. The node would then answer both flows from and to the same tuple, so whoever comes second
 * must take another node. The two entries are refreshed together, at most once a second, so that
 * they expire together; a reply entry that is missing then is made again. */
#ifndef RAMPART_BPF_REPLY_H
#define RAMPART_BPF_REPLY_H

#include "bpf/flowtable.h"

enum reply_bind {
  REPLY_MADE, /* it was not ours before */
  REPLY_OURS, /* it is there already: this flow's, or its race with another CPU */
  REPLY_HELD, /* by another live flow */
  REPLY_FULL, /* no room in the flow table */
};

RP_INLINE struct rp_flow_key reply_key(const struct packet* pkt, const struct rp_backend* backend) {
  const struct rp_flow_key key = {
      .source = backend->address,
      .destination = pkt->tuple.source,
      .source_port = backend->port,
      .destination_port = pkt->tuple.source_port,
      .protocol = pkt->tuple.protocol,
  };

  return key;
}

/* The flow's own key, from a reply. */
RP_INLINE struct rp_flow_key own_key(const struct packet* reply, const struct rp_backend* backend) {
  const struct rp_flow_key key = {
      .source = reply->tuple.destination,
      .destination = backend->vip_address,
      .source_port = reply->tuple.destination_port,
      .destination_port = backend->vip_port,
      .protocol = reply->tuple.protocol,
  };

  return key;
}

RP_INLINE __u64 reply_word(__u64 own, __u32 tag) {
  const __u64 word = make_word(word_backend(own), word_incarnation(own), word_state(own), tag);

  return with_mark(word, RP_FLOW_REPLY);
}

RP_INLINE bool is_reply_of(__u64 word, __u32 id) {
  return word_marks(word) & RP_FLOW_REPLY && word_backend(word) == id;
}

/* Makes an entry that exists say `word`, if it is this flow's or nobody's. */
RP_INLINE enum reply_bind take_reply(struct rp_flow* reply, __u64 word, const struct packet* pkt) {
  const __u64 was = RP_READ_ONCE(reply->word);
  const bool ours = is_reply_of(was, word_backend(word));

  if (word_tag(was) != word_tag(word) || word_state(was) == RP_FLOW_LEAVING) return REPLY_HELD;
  if (!ours && is_live(reply, was, reply->vip, pkt->now)) return REPLY_HELD;
  if (was != word && !replace_flow(reply, was, word)) return REPLY_HELD;
  reply->vip = pkt->vip;
  touch_flow(reply, pkt->now);
  return ours ? REPLY_OURS : REPLY_MADE;
}

/* Makes or refreshes the reply entry of the client's packet `pkt`, whose flow's own word is `own`.
 * Global, so that it is verified once: creation tries it for several nodes, and every packet that
 * changes a flow's word or second refreshes by it. */
__noinline int rp_bind_reply(const struct packet* pkt, __u64 own) {
  if (!pkt) return REPLY_HELD;
  const struct rp_backend* backend = backend_by_id(word_backend(own));

  if (!backend) return REPLY_HELD;
  const struct rp_flow_key key = reply_key(pkt, backend);
  const __u64 word = reply_word(own, flow_tag(&key));
  struct rp_flow* reply = flow_by_key(&key);

  if (!reply) {
    const long error = make_flow(&key, word, pkt->vip, pkt->now);

    if (!error) return REPLY_MADE;
    if (error != -RP_EEXIST) return REPLY_FULL;
    reply = flow_by_key(&key);
    if (!reply) return REPLY_HELD;
  }
  return take_reply(reply, word, pkt);
}

/* Removes the reply entry that rp_bind_reply() made for a flow that did not come to be. */
__noinline int rp_unbind_reply(const struct packet* pkt, __u64 own) {
  if (!pkt) return 0;
  const struct rp_backend* backend = backend_by_id(word_backend(own));

  if (!backend) return 0;
  const struct rp_flow_key key = reply_key(pkt, backend);
  struct rp_flow* reply = flow_by_key(&key);

  if (!reply) return 0;
  const __u64 word = RP_READ_ONCE(reply->word);

  if (word_tag(word) != flow_tag(&key) || word_state(word) == RP_FLOW_LEAVING) return 0;
  if (!is_reply_of(word, word_backend(own))) return 0;
  return remove_flow(&key, reply, word);
}

#endif /* RAMPART_BPF_REPLY_H */
