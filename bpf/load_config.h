/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The switches of this load (rampart/config.h): constants to the verifier. */
#ifndef RAMPART_BPF_LOAD_CONFIG_H
#define RAMPART_BPF_LOAD_CONFIG_H

#include "rampart/config.h"

/* Set by the loader before the program is verified. */
const volatile struct rp_load_config rp_config = {};

#endif /* RAMPART_BPF_LOAD_CONFIG_H */
