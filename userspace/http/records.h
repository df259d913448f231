// SPDX-License-Identifier: Apache-2.0
// What workers tell of requests: counters for metrics, lines for the access log, ends of tries for passive
// checks. One per worker, so that workers do not meet here; whoever reads takes each one's lock shortly.
#ifndef RAMPART_USERSPACE_HTTP_RECORDS_H_
#define RAMPART_USERSPACE_HTTP_RECORDS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "http/access_log.h"
#include "proxy/site.h"

namespace rampart::http {

// The end of a try at a node of a scope that has passive checks.
struct TryReport {
  ScopeId scope;
  Identity identity;
  proxy::TryEnd end;
  int status;
};

// Seconds; the last bucket is +Inf.
inline constexpr std::array<double, 13> kLatencyBounds = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

struct RequestCounts {
  std::map<std::pair<std::string, int>, uint64_t>
      requests;  // by route ("" if none) and status (0: none sent)
  std::array<uint64_t, kLatencyBounds.size() + 1> latency = {};  // not cumulative
  double seconds = 0;                                            // of all requests
  uint64_t retries = 0;                                          // tries beyond the first

  void add(const RequestCounts& more);
};

class Records final : public proxy::Journal {
 public:
  // `on_report` is called in the worker's thread when reports wait, once until they are taken.
  Records(AccessLog& log, std::function<void()> on_report)
      : log_(log), on_report_(std::move(on_report)) {}

  void request_over(const proxy::RequestRecord& record) override;
  void try_over(const proxy::Upstream& upstream, const Identity& node, proxy::TryEnd end,
                int status) override;

  // Thread-safe.
  RequestCounts counts() const;
  std::vector<TryReport> take_reports();

 private:
  AccessLog& log_;
  std::function<void()> on_report_;
  mutable std::mutex mutex_;  // guards all below
  RequestCounts counts_;
  std::vector<TryReport> reports_;
};

}  // namespace rampart::http

#endif  // RAMPART_USERSPACE_HTTP_RECORDS_H_
