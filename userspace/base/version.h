// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_USERSPACE_BASE_VERSION_H_
#define RAMPART_USERSPACE_BASE_VERSION_H_

namespace rampart {

// RAMPART_VERSION comes from project() in CMakeLists.txt, the one place that states it.
inline constexpr char kVersion[] = RAMPART_VERSION;

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_VERSION_H_
