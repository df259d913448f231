/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The slot table of a VIP as it lies in its inner map.
 *
 * An array value is padded to 8 bytes, so a value of one 16-bit slot would waste three quarters:
 * a value is a block of 32 slots, 64 bytes, one cache line. Each table exists twice (two halves);
 * the live word of rp_vip_state says which half programs read, and the daemon writes the other one.
 *
 * The halves are interleaved block by block rather than laid one behind the other: where a block
 * lies then depends on slot and half alone, never on the table's size. A VIP can change its
 * table_size while it serves, because a program that still reads the smaller size finds valid slots
 * in the larger table. */
#ifndef RAMPART_SLOTS_H
#define RAMPART_SLOTS_H

#include "rampart/abi.h"

#define RP_SLOTS_PER_BLOCK 32
#define RP_HALVES 2

struct rp_slot_block {
  __u16 backend[RP_SLOTS_PER_BLOCK]; /* backend ids; 0 = no backend */
};
RP_ASSERT_SIZE(struct rp_slot_block, 64);

/* Index of the block that holds a slot in a half; blocks that a table of a size needs. */
#define RP_SLOT_BLOCK(slot, half) ((slot) / RP_SLOTS_PER_BLOCK * RP_HALVES + (half))
#define RP_SLOT_BLOCKS(table_size) \
  (((table_size) + RP_SLOTS_PER_BLOCK - 1) / RP_SLOTS_PER_BLOCK * RP_HALVES)

#define RP_MIN_TABLE_SIZE 251
#define RP_DEFAULT_TABLE_SIZE 65537
#define RP_MAX_TABLE_SIZE 1048573

#endif /* RAMPART_SLOTS_H */
