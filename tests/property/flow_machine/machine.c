/* SPDX-License-Identifier: Apache-2.0 */
#include "property/flow_machine/machine.h"

#include <string.h>

#include "bpf/compat.h"

/* Every access that others may see is a step of its own. */
#undef RP_READ_ONCE
#undef RP_WRITE_ONCE
#define RP_READ_ONCE(lvalue) \
  ({                         \
    machine_step();          \
    (lvalue);                \
  })
#define RP_WRITE_ONCE(lvalue, value) \
  do {                               \
    machine_step();                  \
    (lvalue) = (value);              \
  } while (0)
#define __sync_val_compare_and_swap(word, from, to)                                          \
  ({                                                                                         \
    __u64 was_ = (from);                                                                     \
    machine_step();                                                                          \
    __atomic_compare_exchange_n(word, &was_, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    was_;                                                                                    \
  })
#define __sync_fetch_and_add(word, more) \
  ({                                     \
    machine_step();                      \
    *(word) += (more);                   \
  })
#define __sync_fetch_and_sub(word, less) \
  ({                                     \
    machine_step();                      \
    *(word) -= (less);                   \
  })

/* Instead of bpf/load_config.h: a test sets it. */
#define RAMPART_BPF_LOAD_CONFIG_H
#include "rampart/config.h"
static struct rp_load_config rp_config;

#include "bpf/choose.h"
#include "bpf/return.h"

void (*machine_step)(void);
__u32 machine_cpu;
struct rp_flow_bucket machine_flows[MACHINE_BUCKETS];
struct rp_flow_count machine_counts[MACHINE_BACKENDS];

static struct rp_flow_origin origins[MACHINE_BUCKETS * RP_BUCKET_FLOWS];
static struct rp_backend backends[MACHINE_BACKENDS];
static struct rp_vip_state vips[2];
static struct rp_flow_stats stats;
static struct rp_flow_secret secret;
static struct rp_backend_stats backend_stats[MACHINE_BACKENDS];
static struct rp_slot_block slots[RP_HALVES];  /* of the VIP, and its inner map */
static struct rp_cursor cursors[MACHINE_CPUS]; /* by CPU */

#define MACHINE_ELEMENT(name, elements) \
  if (map == &(name))                   \
  return index < sizeof(elements) / sizeof((elements)[0]) ? &(elements)[index] : NULL

__u32 bpf_get_smp_processor_id(void) {
  return machine_cpu;
}

void* machine_lookup(const void* map, const void* key) {
  const __u32 index = *(const __u32*)key;

  MACHINE_ELEMENT(rp_flows, machine_flows);
  MACHINE_ELEMENT(rp_flow_origins, origins);
  MACHINE_ELEMENT(rp_flow_counts, machine_counts);
  MACHINE_ELEMENT(rp_backends, backends);
  MACHINE_ELEMENT(rp_vip_state, vips);
  MACHINE_ELEMENT(rp_stats, backend_stats);
  MACHINE_ELEMENT(slots, slots);
  if (map == &rp_slots) return slots;
  if (map == &rp_cursors) return &cursors[machine_cpu];
  if (map == &rp_flow_stats) return &stats;
  if (map == &rp_flow_secret) return &secret;
  return NULL;
}

/* Nodes differ by their port. */
static __u16 port_of(__u32 backend) {
  return backend == MACHINE_TWIN ? 1 : backend;
}

void machine_reset(__u32 buckets) {
  memset(machine_flows, 0, sizeof(machine_flows));
  memset(machine_counts, 0, sizeof(machine_counts));
  rp_config.flow_buckets = buckets;
  for (int i = 0; i <= RP_TAG_WORDS; i++) {
    secret.upper[i] = (i + 1) * RP_MIX_1;
    secret.lower[i] = (i + 1) * RP_MIX_2;
  }
  for (__u32 id = 0; id < MACHINE_BACKENDS; id++) {
    backends[id].state = 1 << RP_STATE_INCARNATION_SHIFT | RP_BACKEND_SERVING;
    backends[id].count_index = id;
    backends[id].vip = 1;
    backends[id].forward = RP_FORWARD_NAT;
    backends[id].port = port_of(id);
  }
  vips[1].algorithm = RP_ROUNDROBIN;
  vips[1].table_size = 2;
  slots[0].backend[0] = 1;
  slots[0].backend[1] = 2;
  vips[1].timeout_syn = 30;
  vips[1].timeout_established = 3600;
  vips[1].timeout_closing = 30;
  vips[1].timeout_udp = 60;
}

static struct packet packet_of(__u8 tcp_flags, __u32 now) {
  struct packet pkt = {.tcp_flags = tcp_flags, .now = now};

  pkt.tuple.protocol = IPPROTO_TCP;
  return pkt;
}

int machine_begin(__u64 tag, __u64 word) {
  const struct packet pkt = packet_of(RP_TCP_SYN, word_seen(word));

  return rp_make_flow(tag, word, &pkt);
}

__u64 machine_packet(__u64 tag, __u8 tcp_flags, __u32 now) {
  const struct packet pkt = packet_of(tcp_flags, now);
  struct rp_flow* flow = find_flow(tag);
  const __u64 word = flow ? read_word(flow, tag) : 0;

  return word ? apply_packet(flow, word, &pkt, tag, FROM_CLIENT_ONLY) : 0;
}

void machine_sweep(__u64 tag) {
  struct rp_flow* flow = find_flow(tag);
  const __u64 word = flow ? read_word(flow, tag) : 0;

  if (word) free_flow(flow, word);
}

/* --- nat -------------------------------------------------------------------------------------- */

#define CLIENT 7 /* its address and port; the VIP's are 0 */

static struct packet from_client(__u8 tcp_flags, __u32 now) {
  struct packet pkt = packet_of(tcp_flags, now);

  pkt.tuple.source.word[3] = CLIENT;
  pkt.tuple.source_port = CLIENT;
  pkt.ttl = 64;
  pkt.vip = 1;
  pkt.tag = machine_own_tag();
  return pkt;
}

__u64 machine_own_tag(void) {
  struct rp_tuple tuple = {.source_port = CLIENT, .protocol = IPPROTO_TCP};

  tuple.source.word[3] = CLIENT;
  return flow_tag(&tuple);
}

__u64 machine_reply_tag(__u32 backend) {
  struct rp_tuple tuple = {
      .source_port = port_of(backend), .destination_port = CLIENT, .protocol = IPPROTO_TCP};

  tuple.destination.word[3] = CLIENT;
  return flow_tag(&tuple);
}

void machine_begin_pair(__u32 backend, __u32 now) {
  struct packet pkt = from_client(RP_TCP_SYN, now);

  cursors[machine_cpu] = (struct rp_cursor){.next = backend - 1, .started = 1};
  begin_flow(NULL, 0, &pkt);
}

int machine_bind(__u64 own) {
  const struct packet pkt = from_client(RP_TCP_SYN, word_seen(own));

  return rp_bind_reply(&pkt, own);
}

void machine_unbind(__u64 own) {
  const struct packet pkt = from_client(RP_TCP_SYN, word_seen(own));

  rp_unbind_reply(&pkt, own);
}

void machine_client(__u8 tcp_flags, __u16 payload_bytes, __u32 now) {
  struct packet pkt = from_client(tcp_flags, now);
  struct rp_flow* flow = find_flow(pkt.tag);
  const __u64 word = flow ? read_word(flow, pkt.tag) : 0;

  pkt.payload_bytes = payload_bytes;
  if (word) keep_flow(flow, word, &pkt);
}

void machine_answer(__u8 tcp_flags, __u32 now) {
  const __u64 tag = machine_reply_tag(1);
  struct packet pkt = packet_of(tcp_flags, now);
  struct rp_flow* flow = find_flow(tag);
  const __u64 word = flow ? read_word(flow, tag) : 0;

  pkt.tag = tag;
  pkt.tuple.source_port = port_of(1);
  pkt.tuple.destination.word[3] = CLIENT;
  pkt.tuple.destination_port = CLIENT;
  if (word) refresh_both(flow, word, &pkt);
}
