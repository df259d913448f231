/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Stands in for maps/map.bpf.h when the flow table is compiled for the host: a map is a pointer that
 * machine_lookup() knows. */
#ifndef RAMPART_TESTS_PROPERTY_FLOW_MACHINE_MAP_BPF_H
#define RAMPART_TESTS_PROPERTY_FLOW_MACHINE_MAP_BPF_H

#include <linux/bpf.h>
#include <linux/types.h>

#define SEC(name) __attribute__((unused))
#define __uint(name, value) int(*name)[value]
#define __type(name, value) __typeof__(value)* name
#define __array(name, ...) __typeof__(__VA_ARGS__)* name[]
#define __noinline __attribute__((noinline))

void* machine_lookup(const void* map, const void* key);

#define bpf_map_lookup_elem(map, key) machine_lookup(map, key)

static inline __u64 bpf_ktime_get_coarse_ns(void) {
  return 0;
}

__u32 bpf_get_smp_processor_id(void);

/* Helpers of steps that no test takes: least_conn, the next other node, the way to a client. */
static inline __u32 bpf_get_prandom_u32(void) {
  return 0;
}
static inline long bpf_loop(__u32 steps, void* step, void* context, __u64 flags) {
  (void)steps, (void)step, (void)context, (void)flags;
  return 0;
}
static inline long bpf_fib_lookup(void* ctx, void* fib, int bytes, __u32 flags) {
  (void)ctx, (void)fib, (void)bytes, (void)flags;
  return BPF_FIB_LKUP_RET_UNREACHABLE;
}
static inline long bpf_map_push_elem(void* map, const void* value, __u64 flags) {
  (void)map, (void)value, (void)flags;
  return 0;
}
static inline long bpf_redirect(__u32 ifindex, __u64 flags) {
  (void)ifindex, (void)flags;
  return 0;
}

#endif /* RAMPART_TESTS_PROPERTY_FLOW_MACHINE_MAP_BPF_H */
