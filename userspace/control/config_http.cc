// SPDX-License-Identifier: Apache-2.0
#include "control/config_http.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rampart::control {
namespace {

constexpr int64_t kMostPort = 65535;
constexpr int64_t kMostWorkers = 1024;
constexpr int64_t kLongestDrain = 604800;

CertificateConfig read_certificate(const Field& field) {
  const Block block(field, {"cert", "key"});
  return {.cert = block.required("cert").text(kAbsolutePath).value_or(""),
          .key = block.required("key").text(kAbsolutePath).value_or("")};
}

std::vector<CertificateConfig> read_tls(const Field& field) {
  std::vector<CertificateConfig> certificates;
  if (!field.present()) return certificates;
  if (!field.is_list()) return {read_certificate(field)};
  for (const Field& item : field.items()) certificates.push_back(read_certificate(item));
  if (certificates.empty()) {
    field.problem("found an empty list; allowed: at least one certificate, or no tls");
  }
  return certificates;
}

// Its port is 0 where the address or the port is wrong.
ListenerConfig read_listener(const Field& field, bool debug_headers) {
  const Block block(field, {"address", "port", "tls", "proxy_protocol", "debug_headers"});
  ListenerConfig conf;
  const auto address = block.required("address").text(kAddress);
  const auto port = block.required("port").integer(1, kMostPort);
  if (address && port) {
    conf.address = IpAddress::parse(*address).value_or(IpAddress());
    conf.port = static_cast<uint16_t>(*port);
  }
  conf.proxy_protocol = block.optional("proxy_protocol").boolean().value_or(conf.proxy_protocol);
  conf.debug_headers = block.optional("debug_headers").boolean().value_or(debug_headers);
  conf.tls = read_tls(block.optional("tls"));
  return conf;
}

std::vector<ListenerConfig> read_listeners(const Field& field, bool debug_headers) {
  std::vector<ListenerConfig> listeners;
  std::map<std::pair<IpAddress, uint16_t>, std::string> seen;
  for (const Field& item : field.items()) {
    listeners.push_back(read_listener(item, debug_headers));
    const ListenerConfig& listener = listeners.back();
    if (listener.port == 0) continue;
    const auto [first, fresh] =
        seen.emplace(std::pair(listener.address, listener.port), item.path());
    if (fresh) continue;
    item.problem("found the listener " +
                 host_and_port(listener.address.to_string(), listener.port) +
                 " again; allowed: once (it is " + first->second + ")");
  }
  return listeners;
}

std::optional<AccessLogConfig> read_access_log(const Field& field) {
  if (!field.present()) return std::nullopt;
  const Block block(field, {"path", "format"});
  AccessLogConfig conf;
  conf.path = block.required("path").text(kLogPath).value_or("");
  conf.format = block.optional("format")
                    .choice<AccessLogFormat>({{"combined", AccessLogFormat::kCombined},
                                              {"json", AccessLogFormat::kJson}})
                    .value_or(conf.format);
  return conf;
}

std::vector<IpRange> read_ranges(const Field& field) {
  std::vector<IpRange> ranges;
  if (!field.present()) return ranges;
  for (const std::string& text : field.texts(kCidr)) {
    if (const auto range = IpRange::parse(text)) ranges.push_back(*range);
  }
  return ranges;
}

}  // namespace

std::optional<HttpConfig> read_http(const Field& field) {
  if (!field.present()) return std::nullopt;
  const Block block(field, {"listeners", "workers", "api", "drain_timeout", "trusted_proxies",
                            "debug_headers", "access_log"});
  HttpConfig conf;
  const bool debug_headers = block.optional("debug_headers").boolean().value_or(false);
  conf.listeners = read_listeners(block.required("listeners"), debug_headers);
  const auto workers = block.optional("workers").integer(1, kMostWorkers);
  conf.workers = static_cast<uint32_t>(workers.value_or(conf.workers));
  conf.api = block.optional("api").text(kAddressPort).value_or(conf.api);
  conf.drain_timeout =
      block.optional("drain_timeout").seconds(0, kLongestDrain).value_or(conf.drain_timeout);
  conf.trusted_proxies = read_ranges(block.optional("trusted_proxies"));
  conf.access_log = read_access_log(block.optional("access_log"));
  return conf;
}

}  // namespace rampart::control
