/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Keys of the hash maps. No hidden padding: a key is compared byte by byte by the kernel. */
#ifndef RAMPART_KEYS_H
#define RAMPART_KEYS_H

#include "rampart/addr.h"

/* rp_vips: what a client addresses. */
struct rp_vip_key {
  struct rp_addr address;
  __be16 port;
  __u8 protocol; /* IPPROTO_TCP or IPPROTO_UDP */
  __u8 zero;
};
RP_ASSERT_SIZE(struct rp_vip_key, 20);

#endif /* RAMPART_KEYS_H */
