// SPDX-License-Identifier: Apache-2.0
// The proxy's metrics in Prometheus' text format.
#ifndef RAMPART_USERSPACE_HTTP_METRICS_H_
#define RAMPART_USERSPACE_HTTP_METRICS_H_

#include "api/http.h"
#include "http/views.h"

namespace rampart::http {

api::Response metrics_answer(const Reading& reading);

}  // namespace rampart::http

#endif  // RAMPART_USERSPACE_HTTP_METRICS_H_
