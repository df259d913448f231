// SPDX-License-Identifier: Apache-2.0
// What operators order: of a backend drain, undrain, maintenance, ready, weight; of the whole a reload, and
// the check of a configuration (docs/api.md).
#ifndef RAMPART_USERSPACE_API_ORDERS_H_
#define RAMPART_USERSPACE_API_ORDERS_H_

#include <optional>

#include "api/http.h"
#include "api/steered.h"

namespace rampart::api {

// Answers a request below /v1/backends/NAME, to /v1/reload and /v1/validate; nothing if it is none. A name
// holds a slash, which may be written as it is or as %2F.
std::optional<Response> answer_order(const Request& request, Steered& steered);

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_ORDERS_H_
