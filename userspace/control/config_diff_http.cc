// SPDX-License-Identifier: Apache-2.0
#include "control/config_diff_http.h"

#include "control/config_compare.h"

namespace rampart::control {
namespace {

std::string address_text(const ListenerConfig& listener) {
  return host_and_port(listener.address.to_string(), listener.port);
}

// One line for one that differs.
template <typename One, typename Name>
Lines compare_whole(const std::vector<One>& from, const std::vector<One>& to, Name name) {
  return compare(from, to, name, name, [name](const One& was, const One& is) {
    return was == is ? Lines() : Lines{name(is) + " changed"};
  });
}

}  // namespace

Lines describe_http_changes(const Config& from, const Config& to) {
  const HttpConfig was = from.http.value_or(HttpConfig());
  const HttpConfig is = to.http.value_or(HttpConfig());
  Lines lines = compare_whole(was.listeners, is.listeners, [](const ListenerConfig& one) {
    return "listener " + address_text(one);
  });
  const auto check = [&](const char* key, bool same) {
    if (!same) lines.push_back(std::string(key) + " changed");
  };
  check("http.drain_timeout", was.drain_timeout == is.drain_timeout);
  check("http.trusted_proxies", was.trusted_proxies == is.trusted_proxies);
  check("http.access_log", was.access_log == is.access_log);
  append(lines, compare_whole(from.routes, to.routes,
                              [](const RouteConfig& one) { return "route " + one.id; }));
  return lines;
}

Lines http_needs_restart(const Config& from, const Config& to) {
  const HttpConfig was = from.http.value_or(HttpConfig());
  const HttpConfig is = to.http.value_or(HttpConfig());
  Lines lines;
  const auto check = [&](const char* key, bool same) {
    if (!same) lines.push_back(std::string(key) + ": the change needs a restart of rampart-http");
  };
  check("instance", from.instance == to.instance);
  check("state_dir", from.state_dir == to.state_dir);
  check("control_socket", from.control_socket == to.control_socket);
  check("http.workers", was.workers == is.workers);
  check("http.api", was.api == is.api);
  return lines;
}

Config keep_static_http_keys(const Config& from, Config to) {
  to.instance = from.instance;
  to.state_dir = from.state_dir;
  to.control_socket = from.control_socket;
  if (!from.http && !to.http) return to;
  const HttpConfig was = from.http.value_or(HttpConfig());
  HttpConfig kept = to.http.value_or(HttpConfig());
  kept.workers = was.workers;
  kept.api = was.api;
  to.http = std::move(kept);
  return to;
}

}  // namespace rampart::control
