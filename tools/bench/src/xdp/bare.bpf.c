/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The least that any forwarder does: read the headers down to the ports, look up one array entry,
 * rewrite the MAC addresses, send. No VIP, no flow, no choice, no counter. */
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/tcp.h>

#include "maps/map.bpf.h"

#define NEXT_HOPS 16

struct next_hop {
  __u8 destination[ETH_ALEN];
  __u8 source[ETH_ALEN];
  __u32 zero;
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, NEXT_HOPS);
  __type(key, __u32);
  __type(value, struct next_hop);
} next_hops SEC(".maps");

SEC("xdp")
int bare(struct xdp_md* ctx) {
  void* end = (void*)(long)ctx->data_end;
  struct ethhdr* eth = (void*)(long)ctx->data;

  if ((void*)(eth + 1) > end || eth->h_proto != __builtin_bswap16(ETH_P_IP)) return XDP_PASS;
  const struct iphdr* ip = (void*)(eth + 1);

  if ((void*)(ip + 1) > end || ip->version != 4 || ip->ihl != 5) return XDP_PASS;
  if (ip->protocol != IPPROTO_TCP) return XDP_PASS;
  const struct tcphdr* tcp = (void*)(ip + 1);

  if ((void*)(tcp + 1) > end) return XDP_PASS;
  const __u32 index = (tcp->source ^ tcp->dest) % NEXT_HOPS;
  const struct next_hop* hop = bpf_map_lookup_elem(&next_hops, &index);

  if (!hop) return XDP_DROP;
  __builtin_memcpy(eth->h_dest, hop->destination, ETH_ALEN);
  __builtin_memcpy(eth->h_source, hop->source, ETH_ALEN);
  return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
