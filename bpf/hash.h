/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Two hashes of a packet's tuple, for two purposes (F12).
 *
 *   slot hash  the same on every balancer of a fleet; an attacker who knows bpf.hash_seed may choose
 *              a slot, which spreads load badly and does nothing else
 *   flow tag   identifies a flow by itself: nobody may find two tuples of one tag
 *
 * The tag is 64 bits of two multilinear hashes, sum over i of k_i * w_i modulo 2^64, of the tuple's
 * 32-bit words with secret random 64-bit k; of each sum the upper 32 bits count. The family is
 * strongly universal (Lemire and Kaser, Strongly universal string hashing is fast, The Computer
 * Journal 57 (11), 2014): for any two tuples, chosen without the key, the tags are equal with
 * probability 2^-64. Timing shows an attacker at most that two flows share a bucket, which is why
 * buckets are taken from the tag after a bijection. It costs 20 multiplications that do not wait
 * for each other.
 *
 * Host-compilable: no helper, no map. */
#ifndef RAMPART_BPF_HASH_H
#define RAMPART_BPF_HASH_H

#include "bpf/compat.h"
#include "rampart/flows.h"
#include "rampart/values.h"

/* Two multiplications by odd constants with many bits set, each followed by a fold of the high
 * half, where a multiplication mixes best, into the low half. */
#define RP_MIX_1 0x9e3779b97f4a7c15ull /* 2^64 / golden ratio */
#define RP_MIX_2 0x243f6a8885a308d3ull /* 2^64 * the fraction of pi */

RP_INLINE __u64 mix(__u64 hash, __u64 value) {
  hash = (hash ^ value) * RP_MIX_1;
  return hash ^ hash >> 32;
}

RP_INLINE __u64 mix_address(__u64 hash, const struct rp_addr* address) {
  hash = mix(hash, (__u64)address->word[0] << 32 | address->word[1]);
  return mix(hash, (__u64)address->word[2] << 32 | address->word[3]);
}

RP_INLINE __u64 mix_last(__u64 hash) {
  hash *= RP_MIX_2;
  return hash ^ hash >> 32;
}

/* The slot hash (W7, F12): the same on all balancers with the same seed. The VIP's own address,
 * port and protocol are in the seed; the port that was addressed counts for a VIP of every port. */
RP_INLINE __u32 slot_hash(const struct rp_tuple* tuple, __u32 seed, enum rp_hash_on hash_on) {
  const __u64 ports = (__u64)tuple->source_port << 16 | tuple->destination_port;
  __u64 hash = mix_address(seed + RP_MIX_2, &tuple->source);

  if (hash_on != RP_HASH_SOURCE_IP) hash = mix(hash, ports);
  return mix_last(hash) >> 32;
}

/* Scales a hash to [0, table_size) by its high bits, without a division. */
RP_INLINE __u32 scale(__u32 hash, __u32 table_size) {
  return (__u64)hash * table_size >> 32;
}

/* --- the flow tag ----------------------------------------------------------------------------- */

RP_INLINE __u32 tag_word(const struct rp_tuple* tuple, int i) {
  if (i < 4) return tuple->source.word[i];
  if (i < 8) return tuple->destination.word[i - 4];
  if (i == 8) return (__u32)tuple->source_port << 16 | tuple->destination_port;
  return tuple->protocol;
}

/* A bijection of 64 bits: halves that depend on all of the tag, and no two tags made equal. */
RP_INLINE __u64 mix_tag(__u64 tag) {
  tag ^= tag >> 32;
  tag *= RP_MIX_1;
  return tag ^ tag >> 29;
}

RP_INLINE __u64 tag_of(const struct rp_tuple* tuple, const struct rp_flow_secret* secret) {
  __u64 upper = secret->upper[RP_TAG_WORDS];
  __u64 lower = secret->lower[RP_TAG_WORDS];

  RP_UNROLL
  for (int i = 0; i < RP_TAG_WORDS; i++) {
    const __u64 word = tag_word(tuple, i);

    upper += secret->upper[i] * word;
    lower += secret->lower[i] * word;
  }
  return mix_tag((upper & 0xffffffff00000000ull) | lower >> 32);
}

#endif /* RAMPART_BPF_HASH_H */
