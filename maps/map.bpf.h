/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a map's definition is written with, and the helpers that use maps. */
#ifndef RAMPART_MAPS_MAP_BPF_H
#define RAMPART_MAPS_MAP_BPF_H

/* In this order: the helpers are declared with types of the first. */
/* clang-format off */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
/* clang-format on */

#endif /* RAMPART_MAPS_MAP_BPF_H */
