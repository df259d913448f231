// SPDX-License-Identifier: Apache-2.0
// HTTP as values: what a request asks and what is answered. Parsing and sending is Boost.Beast's,
// in http_server.cc alone.
#ifndef RAMPART_USERSPACE_API_HTTP_H_
#define RAMPART_USERSPACE_API_HTTP_H_

#include <map>
#include <string>
#include <vector>

namespace rampart::api {

struct Request {
  std::string method;             // "GET"
  std::vector<std::string> path;  // decoded segments: /v1/backends → {"v1", "backends"}
  std::map<std::string, std::string> query;  // decoded; the last of equal names
  std::string body;
  std::string user = {};  // who asks: a name, or "uid 1000"
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
};

// Splits and decodes a request target ("/v1/backends?vip=a%20b").
Request parse_target(const std::string& method, const std::string& target, std::string body);

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_HTTP_H_
