// SPDX-License-Identifier: Apache-2.0
// The proxy's state as the JSON of docs/api.md.
#ifndef RAMPART_USERSPACE_HTTP_VIEWS_H_
#define RAMPART_USERSPACE_HTTP_VIEWS_H_

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "api/http.h"
#include "api/steered.h"
#include "http/authority.h"
#include "http/records.h"

namespace rampart::http {

// What answers are made of.
struct Reading {
  const Authority& authority;
  std::function<const api::VerdictReading*(const ScopeId&, const Identity&)> verdict;
  const api::ReloadReading& last_reload;
  const std::string& config_file;
  std::chrono::system_clock::time_point started;
  size_t clients = 0;           // connections
  size_t kept = 0;              // connections to nodes
  uint64_t log_lines_lost = 0;  // of the access log
  RequestCounts requests = {};
};

// One node for each of a scope; of all scopes if `scope` is empty.
nlohmann::json nodes_view(const Reading& reading, const std::string& scope);

// Answers what reads; nothing if it is no such request.
api::Response answer_reading(const api::Request& request, const Reading& reading);

}  // namespace rampart::http

#endif  // RAMPART_USERSPACE_HTTP_VIEWS_H_
