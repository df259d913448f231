// SPDX-License-Identifier: Apache-2.0
// Any bytes as a configuration: parse_config answers, with a configuration or with problems that
// each name a place in the document, and an accepted configuration keeps what the rest relies on.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "control/config.h"
#include "control/config_text.h"
#include "rampart/limits.h"
#include "support/lines.h"

namespace {

using rampart::control::Config;
using rampart::control::first_non_text;
using rampart::control::ParseResult;
using rampart::control::Problem;
using rampart::test::Lines;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void check_problems(const std::vector<Problem>& problems, const Lines& lines) {
  for (const Problem& problem : problems) {
    const std::string shown = to_string(problem, "f");
    require(lines.have(problem.line, problem.column), "a problem's place is in the file");
    require(!problem.text.empty(), "a problem says something");
    require(shown.find_first_of("\n\r\t") == std::string::npos, "a problem is one line");
    require(first_non_text(shown) == shown.size(), "a problem is text");
  }
}

void check_routes(const Config& conf, const std::unordered_set<std::string>& scopes) {
  for (const auto& route : conf.routes) {
    require(route.uri.starts_with('/'), "a route has a path");
    bool leads_somewhere = !route.scope.empty();
    require(!leads_somewhere || scopes.contains(route.scope), "a route has an upstream");
    for (const auto& side : route.split) {
      require(scopes.contains(side.scope), "a side of a split has an upstream");
      leads_somewhere = leads_somewhere || side.weight > 0;
    }
    require(leads_somewhere, "a route leads somewhere");
  }
  if (!conf.http) return;
  for (const auto& listener : conf.http->listeners) {
    require(listener.port != 0, "a listener has a port");
  }
}

void check_config(const Config& conf) {
  std::unordered_set<std::string> scopes;
  size_t backends = 0;
  for (const auto& upstream : conf.upstreams) {
    require(scopes.insert(upstream.id).second, "a scope has an id of its own");
    if (upstream.slow_start) {
      require(upstream.slow_start->interval <= upstream.slow_start->window, "interval <= window");
    }
  }
  for (const auto& vip : conf.vips) {
    require(scopes.contains(vip.scope), "a VIP has an upstream");
    require(vip.port != 0 && vip.address.is_v4(), "a VIP has an address and a port");
    for (const auto& upstream : conf.upstreams) {
      if (upstream.id == vip.scope) backends += upstream.nodes.size();
    }
  }
  require(backends <= conf.bpf.max_backends && conf.bpf.max_backends <= RP_MAX_BACKENDS,
          "backends fit");
  require(conf.vips.size() <= conf.bpf.max_vips, "VIPs fit");
  check_routes(conf, scopes);
  require(conf.control_socket.starts_with('/'), "the socket's path is absolute");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const ParseResult result = rampart::control::parse_config(text);
  const Lines lines(text);
  check_problems(result.problems, lines);
  check_problems(result.warnings, lines);
  if (result.problems.empty()) check_config(result.config);
  return 0;
}
