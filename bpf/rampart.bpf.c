/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The packet path. Each step is one function of one header; it returns an outcome, or RP_GO_ON.
 * Only the entry function counts outcomes and turns them into verdicts (rampart/outcomes.h). */
#include "bpf/choose.h"
#include "bpf/count.h"
#include "bpf/explain.h"
#include "bpf/forward.h"
#include "bpf/parse.h"
#include "bpf/reset.h"
#include "bpf/return.h"
#include "bpf/vip.h"
#include "maps/map.bpf.h"

RP_INLINE enum rp_outcome handle(struct xdp_md* ctx, struct packet* pkt) {
  enum rp_outcome out = parse(cursor_of(ctx), pkt);

  if (out) return out;
  if (!find_vip(pkt)) return return_reply(ctx, pkt);
  if (pkt->first_fragment) return RP_drop_fragment;

  out = check_l4(cursor_of(ctx), pkt);
  if (out) return out;
  out = choose_backend(pkt);
  if (out == RP_drop_no_backend) return rp_without_backend(ctx, pkt);
  if (out) return out;
  return forward(ctx, pkt);
}

SEC("xdp")
int rampart_xdp(struct xdp_md* ctx) {
  struct packet pkt = {};
  const enum rp_outcome out = handle(ctx, &pkt);

  count(out, &pkt);
  return rp_verdict(out);
}

/* The same steps without effects (bpf/effects.h), on a packet that the daemon made. Loaded only when
 * somebody asks. */
SEC("?xdp")
int rampart_explain(struct xdp_md* ctx) {
  struct packet pkt = {};
  const enum rp_outcome out = handle(ctx, &pkt);

  explain(out, &pkt);
  return rp_verdict(out);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
