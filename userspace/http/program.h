// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_USERSPACE_HTTP_PROGRAM_H_
#define RAMPART_USERSPACE_HTTP_PROGRAM_H_

#include "base/result.h"
#include "program/options.h"

namespace rampart::http {

// Serves until a signal ends it. SIGTERM and SIGINT: accepts no more, lets requests end for
// `http.drain_timeout`, a second one ends at once. SIGHUP reads the file again, SIGUSR1 opens the access log
// again.
Result<void> run(const program::Options& options);

}  // namespace rampart::http

#endif  // RAMPART_USERSPACE_HTTP_PROGRAM_H_
