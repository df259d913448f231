// SPDX-License-Identifier: Apache-2.0
#include "http/records.h"

#include <algorithm>
#include <chrono>

namespace rampart::http {

void RequestCounts::add(const RequestCounts& more) {
  for (const auto& [key, count] : more.requests) requests[key] += count;
  for (size_t i = 0; i < latency.size(); ++i) latency[i] += more.latency[i];
  seconds += more.seconds;
  retries += more.retries;
}

void Records::request_over(const proxy::RequestRecord& record) {
  const double seconds = std::chrono::duration<double>(record.duration).count();
  const auto bucket =
      static_cast<size_t>(std::lower_bound(kLatencyBounds.begin(), kLatencyBounds.end(), seconds) -
                          kLatencyBounds.begin());
  {
    const std::lock_guard lock(mutex_);
    ++counts_.requests[{record.route == nullptr ? std::string() : record.route->id, record.status}];
    ++counts_.latency[bucket];
    counts_.seconds += seconds;
    if (record.tries > 1) counts_.retries += record.tries - 1;
  }
  log_.note(record);
}

void Records::try_over(const proxy::Upstream& upstream, const Identity& node, proxy::TryEnd end,
                       int status) {
  if (!upstream.observed) return;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = reports_.empty();
    reports_.push_back({upstream.id, node, end, status});
  }
  if (first) on_report_();
}

RequestCounts Records::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::vector<TryReport> Records::take_reports() {
  const std::lock_guard lock(mutex_);
  return std::exchange(reports_, {});
}

}  // namespace rampart::http
