/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Numbers that both sides must agree on. */
#ifndef RAMPART_LIMITS_H
#define RAMPART_LIMITS_H

/* A slot is 16 bits wide, so an id is. 0 in a slot means "never written" and is no backend. */
#define RP_MAX_BACKENDS 65535

/* VIP numbers: 0 stands for "no VIP known" in counters, so numbers of VIPs start at 1. */
#define RP_NO_VIP 0
#define RP_MAX_VIPS 65535

/* Egress interfaces that next hops can name. A machine with more uplinks than this is not a load
 * balancer; the port's index must fit the 16 bits beside a MAC address (values.h). */
#define RP_MAX_PORTS 64

/* Nodes tried for a nat flow whose reply tuple is held by another live flow (F11). */
#define RP_NAT_TRIES 4

/* Slots looked at for each of them, from the slot of the one before: eight cache lines. A node that
 * owns a tenth of the table is missed less than once in 10^11 walks. */
#define RP_NAT_WALK 256

/* Packets that a CPU answers itself in a second (resets, ICMP errors): enough to be noticed by
 * every client that retries, too few to be of use to who forges sources. */
#define RP_MAX_ANSWERS 1000

/* Unresolved next hops of replies that wait for the daemon. More than this within one of its
 * rounds are dropped from the queue, oldest first: the packet is sent again anyway. */
#define RP_UNRESOLVED_QUEUE 256

#endif /* RAMPART_LIMITS_H */
