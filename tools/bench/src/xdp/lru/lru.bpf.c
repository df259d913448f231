/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The packet path with lru/bpf/choose.h in place of its own. */
#include "bpf/rampart.bpf.c"
