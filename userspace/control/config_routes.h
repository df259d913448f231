// SPDX-License-Identifier: Apache-2.0
// Services and routes: which upstream a request goes to. A service is a name for one; it is resolved
// here, and nothing behind the parser knows of it.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_ROUTES_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_ROUTES_H_

#include <string>
#include <vector>

#include "control/config_reader.h"
#include "control/config_upstream.h"
#include "control/http_config.h"

namespace rampart::control {

// A name and where it stands.
struct Reference {
  std::string id;
  Field field;
};

struct ReadRoutes {
  std::vector<RouteConfig> routes;
  std::vector<ReadUpstream> upstreams;  // that services, routes and traffic splits have in them
  std::vector<Reference> scopes;        // ids of the services and routes that embed one
  std::vector<Reference> named;         // uses of a stand-alone upstream
};

// Reads `services` and `routes` of the document. That every named upstream exists, and that scopes are
// unique, is left to the relations.
ReadRoutes read_routes(const Block& document);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_ROUTES_H_
