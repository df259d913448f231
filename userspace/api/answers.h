// SPDX-License-Identifier: Apache-2.0
// How answers look: JSON, and problem documents (RFC 7807).
#ifndef RAMPART_USERSPACE_API_ANSWERS_H_
#define RAMPART_USERSPACE_API_ANSWERS_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "api/http.h"
#include "base/result.h"

namespace rampart::api {

Response reply(const nlohmann::json& value);

// `code` is the exit code that the CLI ends with.
Response problem(int status, const std::string& title, const std::string& detail,
                 Code code = Code::kFailed, const nlohmann::json& more = nlohmann::json::object());
// A request that makes no sense as it is.
Response bad_request(const std::string& detail);
// A body that is empty, or an object with this flag alone: {"ramp": true}. Nothing if it is neither.
std::optional<bool> flag_in(const std::string& body, const std::string& flag);
// What the daemon would not do.
Response refusal(const Error& error);

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_ANSWERS_H_
