/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The one form of bounds check. A step keeps offsets, never pointers: it asks for the bytes right
 * before it uses them, so a check and its use cannot drift apart, and a packet that moved
 * (adjust_head, adjust_tail) is read afresh. Host-compilable. */
#ifndef RAMPART_BPF_CURSOR_H
#define RAMPART_BPF_CURSOR_H

#include "bpf/compat.h"

struct cursor {
  __u8* data;
  __u8* end;
};

/* The `size` bytes at `offset`, or NULL if the frame ends before them.
 * REQUIRES: offset and size are small (offsets are kept in 8 bits), so the sum never wraps. */
RP_INLINE void* reach(struct cursor frame, __u32 offset, __u32 size) {
  __u8* at = frame.data + offset;

  /* VERIFIER: knows a range only for the pointer that was compared with the end.
   * SYMPTOM:  "invalid access to packet": clang adds offset and size first, and compares a
   *           pointer that it does not use.
   * DOES:     makes `at` opaque, so that the comparison and the use start from it.
   * REMOVE:   when the oldest kernel relates pointers of one packet that differ by a scalar. */
  __asm__ volatile("" : "+r"(at));
  if (at + size > frame.end) return NULL;
  return at;
}

/* Bytes from the frame's first to its last. */
RP_INLINE __u32 length_of(struct cursor frame) {
  long bytes = frame.end - frame.data;

  /* VERIFIER: subtracts packet pointers in 64 bits only.
   * SYMPTOM:  "32-bit pointer arithmetic prohibited": clang narrows the difference.
   * DOES:     makes the 64-bit difference opaque.
   * REMOVE:   when clang's BPF target knows that pointers are 64 bits wide. */
  __asm__ volatile("" : "+r"(bytes));
  return bytes;
}

/* Copies a MAC address in words of 16 bits, which is how both ends of it are aligned everywhere. */
RP_INLINE void copy_mac(void* to, const void* from) {
  ((rp_word*)to)[0] = ((const rp_word*)from)[0];
  ((rp_word*)to)[1] = ((const rp_word*)from)[1];
  ((rp_word*)to)[2] = ((const rp_word*)from)[2];
}

#endif /* RAMPART_BPF_CURSOR_H */
