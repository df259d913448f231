/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the headers for programs and for the host share of the language: names that both clang's BPF
 * target and a host compiler, C or C++, understand. */
#ifndef RAMPART_BPF_COMPAT_H
#define RAMPART_BPF_COMPAT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define RP_INLINE static inline __attribute__((always_inline))

/* Before a loop that must not be one: the verifier follows loops round by round. */
#ifdef __clang__
#define RP_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RP_UNROLL
#endif

/* 16 bits of memory of any type. */
typedef __u16 __attribute__((may_alias)) rp_word;

/* One load, or one store, of a word that others change meanwhile. */
#define RP_READ_ONCE(lvalue) (*(const volatile __typeof__(lvalue)*)&(lvalue))
#define RP_WRITE_ONCE(lvalue, value) (*(volatile __typeof__(lvalue)*)&(lvalue) = (value))

/* x86-64 and BPF on it are little-endian; byte order is swapped without looking. */
#define RP_BE16(value) ((__be16)__builtin_bswap16((__u16)(value)))
#define RP_BE32(value) ((__be32)__builtin_bswap32((__u32)(value)))
#define RP_HOST16(value) ((__u16)__builtin_bswap16((__u16)(value)))
#define RP_HOST32(value) ((__u32)__builtin_bswap32((__u32)(value)))

#endif /* RAMPART_BPF_COMPAT_H */
