/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Gives the program under test a pristine packet of another flow at every repeat of
 * BPF_PROG_TEST_RUN.
 *
 * The kernel's test runner hands a program the same buffer again and again: what a load balancer
 * rewrote at one repeat would come in at the next. So this program runs instead, writes the headers
 * afresh, stamps a flow's number into them and tail-calls the program under test. With a target that
 * returns at once the same costs what is to be subtracted.
 *
 * The target's place is constant, so that the kernel patches a direct jump in: an indirect one costs
 * twenty nanoseconds where it is guarded against speculation, and hides in them what a small target
 * takes.
 *
 * Checksums are not made to fit the stamp: XDP balancers change them by differences, unread. */
#include "maps/map.bpf.h"

#define FRAME_WORDS 8 /* 64 bytes, the smallest Ethernet frame */
#define SOURCE_ADDRESS 26
#define SOURCE_PORT 34
#define FIRST_PORT 1024
#define PORTS 32768

/* Set by the bench. */
__u64 headers[FRAME_WORDS];
__u32 first_flow; /* flow numbers are first_flow … first_flow + flow_mask, below 2^28 */
__u32 flow_mask;  /* flows - 1, of a power of two */
__u32 step_factor, step_increment;

__u32 step;

struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} targets SEC(".maps");

SEC("xdp")
int replay(struct xdp_md* ctx) {
  __u8* frame = (__u8*)(long)ctx->data;
  const __u8* end = (__u8*)(long)ctx->data_end;

  /* A target that changed the frame's length would be measured wrongly from the next repeat on. */
  if (frame + sizeof(headers) > end || frame + sizeof(headers) + 1 <= end) return XDP_ABORTED;
  for (int i = 0; i < FRAME_WORDS; i++) ((__u64*)frame)[i] = headers[i];

  step = step * step_factor + step_increment;
  const __u32 flow = first_flow + (step & flow_mask);

  *(__u32*)(frame + SOURCE_ADDRESS) = __builtin_bswap32(64u << 24 | flow);
  *(__u16*)(frame + SOURCE_PORT) = __builtin_bswap16(FIRST_PORT + flow % PORTS);
  bpf_tail_call(ctx, &targets, 0);
  return XDP_ABORTED;
}

/* The yardstick that is subtracted. */
SEC("xdp")
int at_once(struct xdp_md* ctx) {
  (void)ctx;
  return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
