// SPDX-License-Identifier: Apache-2.0
#include "api/answers.h"

namespace rampart::api {
namespace {

using nlohmann::json;

std::string text_of(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

Response reply(const json& value) {
  return Response{.status = 200, .body = text_of(value)};
}

Response problem(int status, const std::string& title, const std::string& detail, Code code,
                 const json& more) {
  json document = {{"type", "about:blank"},
                   {"title", title},
                   {"status", status},
                   {"detail", detail},
                   {"code", static_cast<int>(code)}};
  document.update(more);
  return Response{
      .status = status, .content_type = "application/problem+json", .body = text_of(document)};
}

Response bad_request(const std::string& detail) {
  return problem(400, "bad request", detail, Code::kUsage);
}

Response refusal(const Error& error) {
  return problem(error.code == Code::kUsage ? 400 : 409, "refused", error.text, error.code);
}

std::optional<bool> flag_in(const std::string& body, const std::string& flag) {
  if (body.empty()) return false;
  const json parsed = json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return std::nullopt;
  const json value = parsed.value(flag, json(false));
  const bool is_whole = parsed.size() == parsed.count(flag);
  return is_whole && value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
}

}  // namespace rampart::api
