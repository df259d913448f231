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
#define __noinline __attribute__((noinline))

void* machine_lookup(const void* map, const void* key);

#define bpf_map_lookup_elem(map, key) machine_lookup(map, key)

static inline __u64 bpf_ktime_get_coarse_ns(void) {
  return 0;
}

__u32 bpf_get_smp_processor_id(void);

#endif /* RAMPART_TESTS_PROPERTY_FLOW_MACHINE_MAP_BPF_H */
