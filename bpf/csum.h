/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Internet checksums: computed (RFC 1071) and updated for a change (RFC 1624, equation 3).
 *
 * Sums are of 16-bit words as they lie in memory; the one's complement sum does not care for byte
 * order as long as all words are read alike. An update never reads the bytes that did not change: a
 * packet that came with a wrong checksum leaves with one, and the receiver notices.
 * Host-compilable. */
#ifndef RAMPART_BPF_CSUM_H
#define RAMPART_BPF_CSUM_H

#include "bpf/compat.h"

/* REQUIRES: sum is of at most 65,536 words, so that two folds are enough. */
RP_INLINE __u16 csum_fold(__u32 sum) {
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

/* The sum of `bytes` bytes, an even number known when compiling. */
RP_INLINE __u32 csum_sum(const void* from, __u32 bytes) {
  const rp_word* word = (const rp_word*)from;
  __u32 sum = 0;

  for (__u32 i = 0; i < bytes / 2; i++) sum += word[i];
  return sum;
}

RP_INLINE __u32 csum_sum32(__u32 value) {
  return (value & 0xffff) + (value >> 16);
}

/* What a change of a 16-bit or a 32-bit word adds to the sum: ~m + m'. Changes add up. */
RP_INLINE __u32 csum_change16(__u16 from, __u16 to) {
  return (__u16)~from + (__u32)to;
}
RP_INLINE __u32 csum_change32(__u32 from, __u32 to) {
  return csum_sum32(~from) + csum_sum32(to);
}

/* The checksum after a change: HC' = ~(~HC + ~m + m'). */
RP_INLINE __u16 csum_update(__u16 check, __u32 change) {
  return ~csum_fold((__u16)~check + change);
}

/* UDP's own rules (RFC 768): 0 says that there is none, and a sum of 0 is sent as 0xffff. */
RP_INLINE __u16 csum_update_udp(__u16 check, __u32 change) {
  if (check == 0) return 0;
  check = csum_update(check, change);
  return check ? check : 0xffff;
}

#endif /* RAMPART_BPF_CSUM_H */
