/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Addresses. Both families are 16 bytes, IPv4 as v4-mapped (::ffff:a.b.c.d, RFC 4291 2.5.5.2), so
 * that no key, value or function has a twin for the other family. */
#ifndef RAMPART_ADDR_H
#define RAMPART_ADDR_H

#include "rampart/abi.h"

struct rp_addr {
  __be32 word[4]; /* network byte order; IPv4: 0, 0, RP_V4_MAPPED, address */
};
RP_ASSERT_SIZE(struct rp_addr, 16);

/* The third word of a v4-mapped address, 0x0000ffff in network byte order on a little-endian
 * machine. x86-64 only is promised. */
#define RP_V4_MAPPED ((__be32)0xffff0000u)

#endif /* RAMPART_ADDR_H */
