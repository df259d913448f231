// SPDX-License-Identifier: Apache-2.0
#include "control/config_checks.h"

namespace rampart::control {
namespace {

constexpr int64_t kMostPort = 65535;
constexpr int64_t kMostConcurrency = 1024;
constexpr int64_t kMostCount = 254;  // as APISIX's checker, whose counters are bytes
constexpr int64_t kLongestInterval = 86400;
constexpr double kShortestTimeout = 0.001;
constexpr double kLongestTimeout = 86400;
constexpr int64_t kLeastStatus = 200;
constexpr int64_t kMostStatus = 599;

void check_type(const Field& field) {
  field.choice<int>({{"tcp", 0}, {"http", 1}, {"https", 2}, {"udp", 3}});
}

void check_statuses(const Field& field) {
  if (!field.present()) return;
  for (const Field& status : field.items()) status.integer(kLeastStatus, kMostStatus);
}

void check_counts(const Block& block, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) block.optional(key).integer(0, kMostCount);
}

void check_active(const Field& field) {
  if (!field.present()) return;
  const Block block(field, {"type", "timeout", "concurrency", "host", "port", "http_path",
                            "https_verify_certificate", "req_headers", "payload", "expected_prefix",
                            "healthy", "unhealthy"});
  check_type(block.optional("type"));
  block.optional("timeout").number(kShortestTimeout, kLongestTimeout);
  block.optional("concurrency").integer(1, kMostConcurrency);
  block.optional("host").text(kAnyText);
  block.optional("port").integer(1, kMostPort);
  block.optional("http_path").text(kUriPattern);
  block.optional("https_verify_certificate").boolean();
  const Field headers = block.optional("req_headers");
  if (headers.present()) headers.texts(kAnyText);
  block.optional("payload").text(kAnyText);
  block.optional("expected_prefix").text(kAnyText);
  if (block.has("healthy")) {
    const Block healthy(block.optional("healthy"), {"interval", "successes", "http_statuses"});
    healthy.optional("interval").integer(1, kLongestInterval);
    check_counts(healthy, {"successes"});
    check_statuses(healthy.optional("http_statuses"));
  }
  if (block.has("unhealthy")) {
    const Block unhealthy(block.optional("unhealthy"), {"interval", "tcp_failures", "http_failures",
                                                        "timeouts", "http_statuses"});
    unhealthy.optional("interval").integer(1, kLongestInterval);
    check_counts(unhealthy, {"tcp_failures", "http_failures", "timeouts"});
    check_statuses(unhealthy.optional("http_statuses"));
  }
}

void check_passive(const Field& field) {
  if (!field.present()) return;
  const Block block(field, {"type", "healthy", "unhealthy"});
  check_type(block.optional("type"));
  if (block.has("healthy")) {
    const Block healthy(block.optional("healthy"), {"successes", "http_statuses"});
    check_counts(healthy, {"successes"});
    check_statuses(healthy.optional("http_statuses"));
  }
  if (block.has("unhealthy")) {
    const Block unhealthy(block.optional("unhealthy"),
                          {"tcp_failures", "http_failures", "timeouts", "http_statuses"});
    check_counts(unhealthy, {"tcp_failures", "http_failures", "timeouts"});
    check_statuses(unhealthy.optional("http_statuses"));
  }
}

}  // namespace

void check_checks(const Field& field) {
  if (!field.present()) return;
  const Block block(field, {"active", "passive"});
  const Field active = block.optional("active");
  const Field passive = block.optional("passive");
  check_active(active);
  check_passive(passive);
  if (passive.present() && !active.present()) {
    passive.problem(
        "found without checks.active, which alone brings a node back; allowed: with it");
  }
  if (active.present() || passive.present()) field.unsupported("no checks");
}

}  // namespace rampart::control
