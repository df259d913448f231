// SPDX-License-Identifier: Apache-2.0
// Do the flow counts agree with the flow table (F6)? A function of what scans saw.
//
// Programs open and close flows while a scan counts entries, so a scan knows the difference D between
// count and entries only within bounds. With A the count when it began, o and c what was opened and
// closed until it ended, and K the entries it met:
//
//   entries that were there throughout  <=  K  <=  these and those that came or went
//   A - K - c  <=  D  <=  A - K + o
//
// Nothing but a fault changes D for longer than a program runs, so the bounds of scans in different
// seconds hold together: their intersection narrows, on an idle backend to one value at once. D is drift
// if zero lies outside it after three scans in a row; what is then sure, the bound nearest to zero, is
// corrected.
#ifndef RAMPART_USERSPACE_DATAPLANE_FLOW_AUDIT_H_
#define RAMPART_USERSPACE_DATAPLANE_FLOW_AUDIT_H_

#include <cstdint>

#include "rampart/values.h"

namespace rampart::dataplane {

// The audit of one count.
class FlowAudit {
 public:
  // A scan met `entries` flows of the count, which was `before` when it began and `after` when it
  // ended. Returns by how much the count is too high (negative: too low), once that is sure; else 0.
  // The caller corrects it.
  int64_t scanned(const rp_flow_count& before, const rp_flow_count& after, uint64_t entries);

 private:
  int64_t low_ = 0;
  int64_t high_ = 0;
  int scans_ = 0;  // that agree with these bounds
};

}  // namespace rampart::dataplane

#endif  // RAMPART_USERSPACE_DATAPLANE_FLOW_AUDIT_H_
