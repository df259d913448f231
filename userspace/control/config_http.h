// SPDX-License-Identifier: Apache-2.0
// Layer 7: listeners, services and routes. Nothing here reaches a Config: the daemon has no use for
// it, but both programs read one file, so both refuse what is wrong in any part of it.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_HTTP_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_HTTP_H_

#include <string>
#include <vector>

#include "control/config_reader.h"

namespace rampart::control {

// A place where layer 7 names an upstream or a service.
struct Reference {
  std::string id;
  Field field;
};

struct ReadHttp {
  std::vector<Reference> scopes;  // ids of the services and routes that embed an upstream
  std::vector<Reference> upstreams;
};

// Checks `http`, `services` and `routes` of the document.
ReadHttp check_http(const Block& document);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_HTTP_H_
