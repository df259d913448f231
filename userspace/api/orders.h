// SPDX-License-Identifier: Apache-2.0
// What operators order of a backend: drain, undrain, maintenance, ready, weight (docs/api.md).
#ifndef RAMPART_USERSPACE_API_ORDERS_H_
#define RAMPART_USERSPACE_API_ORDERS_H_

#include <optional>

#include "api/http.h"
#include "api/service.h"

namespace rampart::api {

// Answers a request below /v1/backends/NAME; nothing if it is none. A name holds a slash, which may
// be written as it is or as %2F.
std::optional<Response> answer_order(const Request& request, Service& service);

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_ORDERS_H_
