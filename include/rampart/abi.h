/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The contract across the kernel boundary: what both the packet programs and the daemon compile.
 *
 * Everything under include/rampart/ is C that clang's BPF target and g++ read alike. No classes, no
 * functions with bodies. A change of any struct, map type or map size here raises RP_ABI_VERSION:
 * pins live in a folder named after it, so that two versions never share a map by accident.
 */
#ifndef RAMPART_ABI_H
#define RAMPART_ABI_H

#include <linux/types.h>

#define RP_ABI_VERSION 3

#ifdef __cplusplus
#define RP_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define RP_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* Size and offset are asserted in both languages, so a compiler that lays a struct out differently
 * refuses the build instead of reading the wrong bytes. */
#define RP_ASSERT_SIZE(type, bytes) RP_STATIC_ASSERT(sizeof(type) == (bytes), #type " has a hole")
#define RP_ASSERT_OFFSET(type, member, bytes) \
  RP_STATIC_ASSERT(__builtin_offsetof(type, member) == (bytes), #type "." #member " moved")

#endif /* RAMPART_ABI_H */
