// SPDX-License-Identifier: Apache-2.0
// What must hold before anything is loaded, each failure with its own sentence and exit code.
#ifndef RAMPART_USERSPACE_DATAPLANE_PREFLIGHT_H_
#define RAMPART_USERSPACE_DATAPLANE_PREFLIGHT_H_

#include <string>

#include "base/result.h"

namespace rampart::dataplane {

// CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON, each missing one by name (O5). Code::kMissingPrivilege.
Result<void> check_privileges();

// The kernel features that the programs need, each missing one by name with the version that
// brought it. Code::kCannotAttach. REQUIRES: check_privileges() passed, else everything seems to be
// missing.
Result<void> check_kernel();

// `pin_path` lies on a BPF file system; mounts one on /sys/fs/bpf if that is all that is missing
// and we may. Code::kCannotAttach.
Result<void> check_bpffs(const std::string& pin_path);

// Whether what is pinned below `pin_path` outlives this process: false if the first process of the
// machine or container sees another file system there. One that was mounted in a mount namespace of
// our own, as `ip netns exec` makes one, ends with the last process in it. True if we may not look.
bool pins_stay(const std::string& pin_path);

}  // namespace rampart::dataplane

#endif  // RAMPART_USERSPACE_DATAPLANE_PREFLIGHT_H_
