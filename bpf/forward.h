/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* To the chosen backend (X1). The way is looked up first: nothing is rewritten that cannot be sent.
 */
#ifndef RAMPART_BPF_FORWARD_H
#define RAMPART_BPF_FORWARD_H

#include "bpf/forward_l2.h"
#include "bpf/forward_nat.h"

RP_INLINE enum rp_outcome forward(struct xdp_md* ctx, const struct packet* pkt) {
  const struct rp_backend* backend = backend_by_id(pkt->backend);
  struct exit_way way = {};

  if (!backend) return RP_drop_no_state;
  if (!way_to_backend(backend, &way)) return RP_drop_unresolved;
  if (backend->forward == RP_FORWARD_NAT) {
    const __be32 address = backend->address.word[3];

    if (!rewrite_end(cursor_of(ctx), pkt, DESTINATION_END, address, backend->port)) {
      return RP_drop_malformed;
    }
  }
  return send(ctx, &way, RP_forward_tx, RP_forward_redirect);
}

#endif /* RAMPART_BPF_FORWARD_H */
