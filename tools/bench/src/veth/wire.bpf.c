/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Both ends of the wire: one program sends as fast as it can, the other counts what arrives.
 *
 * The sender runs by BPF_PROG_TEST_RUN with live frames: its XDP_TX puts real frames on the interface,
 * and everything up to the sink then happens on the same CPU, in the softirq that follows a batch. So
 * these counters have one writer. A frame's memory comes back as the network left it, so the headers
 * are written afresh.
 *
 * Time is taken twice: of the first frame sent, and of the last that arrives. */
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include "maps/map.bpf.h"

#define HEADER_WORDS 6 /* 48 bytes: Ethernet, IPv4, UDP, and six of payload */
#define SOURCE_PORT 34
#define FIRST_PORT 1024

/* Set by the bench. */
__u64 headers[HEADER_WORDS]; /* UDP without a checksum: the source port is stamped */
__u32 flow_mask;             /* flows - 1, of a power of two */
__u64 expected_frames;
__be32 expected_address, expected_netmask; /* of the destination */
__u8 expected_mac[ETH_ALEN];

__u64 sent, sent_first_at; /* CLOCK_MONOTONIC nanoseconds, as below */
__u64 received, received_last_at;
__u64 wrong; /* IPv4 frames that arrived otherwise than they should */

SEC("xdp")
int send(struct xdp_md* ctx) {
  __u8* frame = (__u8*)(long)ctx->data;

  if (frame + sizeof(headers) > (__u8*)(long)ctx->data_end) return XDP_ABORTED;
  for (int i = 0; i < HEADER_WORDS; i++) ((__u64*)frame)[i] = headers[i];
  *(__u16*)(frame + SOURCE_PORT) = __builtin_bswap16(FIRST_PORT + (sent & flow_mask));
  if (!sent++) sent_first_at = bpf_ktime_get_ns();
  return XDP_TX;
}

static int is_expected(const struct ethhdr* eth, const struct iphdr* ip, const struct udphdr* udp) {
  for (int i = 0; i < ETH_ALEN; i++) {
    if (eth->h_dest[i] != expected_mac[i]) return 0;
  }
  if (ip->protocol != IPPROTO_UDP || udp->dest != __builtin_bswap16(80)) return 0;
  return (ip->daddr & expected_netmask) == expected_address;
}

SEC("xdp")
int sink(struct xdp_md* ctx) {
  void* end = (void*)(long)ctx->data_end;
  struct ethhdr* eth = (void*)(long)ctx->data;
  struct iphdr* ip = (void*)(eth + 1);
  struct udphdr* udp = (void*)(ip + 1);

  if ((void*)(udp + 1) > end || eth->h_proto != __builtin_bswap16(ETH_P_IP)) return XDP_PASS;
  if (!is_expected(eth, ip, udp)) {
    wrong++;
    return XDP_DROP;
  }
  if (++received == expected_frames) received_last_at = bpf_ktime_get_ns();
  return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
