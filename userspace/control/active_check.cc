// SPDX-License-Identifier: Apache-2.0
#include "control/active_check.h"

#include <string_view>

#include "base/hash.h"

namespace rampart::control {
namespace {

const char* name_of(CheckType type) {
  switch (type) {
    case CheckType::kTcp:
      return "tcp";
    case CheckType::kHttp:
      return "http";
    case CheckType::kHttps:
      return "https";
    case CheckType::kUdp:
      return "udp";
  }
  return "";
}

// Numbers end with ';' and texts come with their lengths, so that no two definitions write the same
// bytes. Every list comes with its count for the same reason.
class Writer {
 public:
  void number(uint64_t value) { bytes_ += std::to_string(value) + ";"; }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  void statuses(const std::set<uint16_t>& values) {
    number(values.size());
    for (const uint16_t status : values) number(status);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace

uint64_t hash_of(const ActiveCheck& check) {
  Writer all;
  all.text(name_of(check.type));
  all.number(static_cast<uint64_t>(check.timeout.count()));
  all.number(check.concurrency);
  all.text(check.host);
  all.number(check.port);
  all.text(check.http_path);
  all.number(check.https_verify_certificate ? 1 : 0);
  all.number(check.req_headers.size());
  for (const CheckHeader& header : check.req_headers) {
    all.text(header.name);
    all.text(header.value);
  }
  all.text(check.payload);
  all.text(check.expected_prefix);
  all.number(static_cast<uint64_t>(check.healthy.interval.count()));
  all.number(check.healthy.successes);
  all.statuses(check.healthy.http_statuses);
  all.number(static_cast<uint64_t>(check.unhealthy.interval.count()));
  all.number(check.unhealthy.tcp_failures);
  all.number(check.unhealthy.http_failures);
  all.number(check.unhealthy.timeouts);
  all.statuses(check.unhealthy.http_statuses);
  return hash64(all.bytes());
}

}  // namespace rampart::control
