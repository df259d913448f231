// SPDX-License-Identifier: Apache-2.0
// What an instance of the proxy is called by: its own socket, lock and state file beside the daemon's.
#ifndef RAMPART_USERSPACE_HTTP_INSTANCE_H_
#define RAMPART_USERSPACE_HTTP_INSTANCE_H_

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "control/config.h"

namespace rampart::http {

std::string socket_of(const control::Config& config);  // INSTANCE-http.sock beside control_socket
std::string state_file_of(const control::Config& config);  // STATE_DIR/INSTANCE-http.json

// Held as long as the descriptor is; another process is refused (O7). The folder is made.
Result<Fd> lock_instance(const control::Config& config);

}  // namespace rampart::http

#endif  // RAMPART_USERSPACE_HTTP_INSTANCE_H_
