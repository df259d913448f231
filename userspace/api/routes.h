// SPDX-License-Identifier: Apache-2.0
// Which request gets which view or action, and how refusals look (RFC 7807).
#ifndef RAMPART_USERSPACE_API_ROUTES_H_
#define RAMPART_USERSPACE_API_ROUTES_H_

#include "api/http.h"
#include "api/service.h"

namespace rampart::api {

Response answer(const Request& request, Service& service);

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_ROUTES_H_
