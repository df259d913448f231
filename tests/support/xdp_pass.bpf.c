/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Lets everything pass. A native XDP_TX or redirect into a veth arrives only if the veth's peer has
 * a program of its own, because only then does the peer poll a ring for such frames. */
#include "maps/map.bpf.h"

SEC("xdp")
int xdp_pass(struct xdp_md* ctx) {
  (void)ctx;
  return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
