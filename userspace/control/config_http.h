// SPDX-License-Identifier: Apache-2.0
// The block `http`: where requests come in, and what holds for all of them. Both programs read one
// file, so both refuse what is wrong in any part of it.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_HTTP_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_HTTP_H_

#include <optional>

#include "control/config_reader.h"
#include "control/http_config.h"

namespace rampart::control {

// Nothing if there is none.
std::optional<HttpConfig> read_http(const Field& field);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_HTTP_H_
