// SPDX-License-Identifier: Apache-2.0
// Layer 7 of the configuration as values: what `rampart-http` serves. `rampartd` reads it, as both
// programs read one file, and has no use for it.
#ifndef RAMPART_USERSPACE_CONTROL_HTTP_CONFIG_H_
#define RAMPART_USERSPACE_CONTROL_HTTP_CONFIG_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/ip.h"
#include "base/time.h"

namespace rampart::control {

struct CertificateConfig {
  std::string cert;  // PEM files, absolute paths
  std::string key;
  bool operator==(const CertificateConfig&) const = default;
};

struct ListenerConfig {
  IpAddress address;
  uint16_t port = 0;
  std::vector<CertificateConfig> tls;  // empty: plain; the first is for names that none covers
  bool proxy_protocol = false;
  bool debug_headers = false;
  bool operator==(const ListenerConfig&) const = default;
};

enum class AccessLogFormat { kCombined, kJson };

struct AccessLogConfig {
  std::string path;  // absolute, or "stdout"
  AccessLogFormat format = AccessLogFormat::kCombined;
  bool operator==(const AccessLogConfig&) const = default;
};

struct HttpConfig {
  std::vector<ListenerConfig> listeners;
  uint32_t workers = 0;  // threads; 0: as many as processors
  std::string api;       // ADDRESS:PORT; empty: off
  std::chrono::seconds drain_timeout{30};
  std::vector<IpRange> trusted_proxies;
  std::optional<AccessLogConfig> access_log;
  bool operator==(const HttpConfig&) const = default;
};

// Of one try at a node, each from the last byte that went or came. What a route does not say is its
// upstream's, what that does not say either is the default.
struct HttpTimeouts {
  std::optional<Duration> connect, send, read;
  bool operator==(const HttpTimeouts&) const = default;
};
inline constexpr Duration kConnectTimeout = std::chrono::seconds(5);
inline constexpr Duration kSendTimeout = std::chrono::seconds(60);
inline constexpr Duration kReadTimeout = std::chrono::seconds(60);

// What chash hashes at layer 7 (P8).
enum class HttpHashOn { kVars, kHeader, kCookie };

// What layer 7 wants of an upstream, beyond what both planes do.
struct HttpUpstreamConfig {
  std::optional<uint32_t> retries;  // unset: as many as other nodes (P2)
  Duration retry_timeout{0};        // of all tries; 0: no limit
  bool retry_non_idempotent = false;
  HttpTimeouts timeouts;
  bool https = false;
  bool verify = true;   // with https: the node's certificate
  std::string ca_file;  // empty: the system's
  // Unset: the client's address; with the upstream's hash_on: 5tuple its port too.
  std::optional<HttpHashOn> hash_on;
  std::string key;  // the header's, cookie's or variable's name
  bool operator==(const HttpUpstreamConfig&) const = default;
};

// One side of a traffic split.
struct SplitConfig {
  ScopeId scope;  // names an entry of Config::upstreams
  uint32_t weight = 1;
  bool operator==(const SplitConfig&) const = default;
};

struct RouteConfig {
  std::string id;
  std::string host;                  // empty: any; "*.example.org": any name below
  std::string uri;                   // a path; one that ends in '*' is a prefix
  std::vector<std::string> methods;  // empty: all
  // Where it leads, services resolved: one without a traffic split; names entries of Config::upstreams.
  // With a split that has a weight, requests go by it; `scope` may then be empty.
  ScopeId scope;
  std::vector<SplitConfig> split;
  HttpTimeouts timeouts;
  std::optional<uint64_t> max_body;  // bytes; unset: no limit
  bool operator==(const RouteConfig&) const = default;
};

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_HTTP_CONFIG_H_
