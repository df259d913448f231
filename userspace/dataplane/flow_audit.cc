// SPDX-License-Identifier: Apache-2.0
#include "dataplane/flow_audit.h"

#include <algorithm>

namespace rampart::dataplane {
namespace {

constexpr int kScansToBelieve = 3;

int64_t difference(uint64_t from, uint64_t to) {
  return static_cast<int64_t>(to - from);
}

}  // namespace

int64_t FlowAudit::scanned(const rp_flow_count& before, const rp_flow_count& after,
                           uint64_t entries) {
  const int64_t surplus = difference(entries, before.opened - before.closed);
  // An opening that came to nothing is taken back, so `opened` may fall.
  const int64_t low = surplus - std::max<int64_t>(difference(before.closed, after.closed), 0);
  const int64_t high = surplus + std::max<int64_t>(difference(before.opened, after.opened), 0);
  const bool agree = scans_ > 0 && low <= high_ && high >= low_;
  low_ = agree ? std::max(low_, low) : low;
  high_ = agree ? std::min(high_, high) : high;
  scans_ = agree ? scans_ + 1 : 1;
  if (scans_ < kScansToBelieve || (low_ <= 0 && high_ >= 0)) return 0;
  scans_ = 0;
  return low_ > 0 ? low_ : high_;
}

}  // namespace rampart::dataplane
