// SPDX-License-Identifier: Apache-2.0
// RP_CHECK ends the process when an invariant of the program is broken. Input never does that: what
// comes from a file, the kernel or the network is answered with a Result.
#ifndef RAMPART_USERSPACE_BASE_CHECK_H_
#define RAMPART_USERSPACE_BASE_CHECK_H_

#define RP_CHECK(condition)                              \
  do {                                                   \
    if (!(condition)) [[unlikely]] {                     \
      __builtin_trap(); /* no I/O: the engine is pure */ \
    }                                                    \
  } while (false)

#endif  // RAMPART_USERSPACE_BASE_CHECK_H_
