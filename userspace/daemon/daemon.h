// SPDX-License-Identifier: Apache-2.0
// rampartd: the event loop around a Plane.
#ifndef RAMPART_USERSPACE_DAEMON_DAEMON_H_
#define RAMPART_USERSPACE_DAEMON_DAEMON_H_

#include "base/result.h"
#include "program/options.h"

namespace rampart::daemon {

// Runs until SIGTERM or SIGINT. A failure to start leaves what was there before as it was.
Result<void> run(const program::Options& options);

}  // namespace rampart::daemon

#endif  // RAMPART_USERSPACE_DAEMON_DAEMON_H_
