// SPDX-License-Identifier: Apache-2.0
// F6: a difference between count and flow table is believed once no flow that came or went during
// the scans can explain it, three scans in a row.
#include "dataplane/flow_audit.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace rampart::dataplane {
namespace {

rp_flow_count count(uint64_t opened, uint64_t closed) {
  return {.opened = opened, .closed = closed, .joined = 0, .zero = 0};
}

TEST(FlowAudit, AgreementIsNoDrift) {  // F6
  FlowAudit audit;
  for (int scan = 0; scan < 10; ++scan) EXPECT_EQ(audit.scanned(count(9, 4), count(9, 4), 5), 0);
}

TEST(FlowAudit, ADifferenceIsBelievedAtTheThirdScan) {  // F6
  FlowAudit audit;
  EXPECT_EQ(audit.scanned(count(9, 4), count(9, 4), 3), 0);
  EXPECT_EQ(audit.scanned(count(9, 4), count(9, 4), 3), 0);
  EXPECT_EQ(audit.scanned(count(9, 4), count(9, 4), 3), 2);
}

TEST(FlowAudit, ACountMayAlsoBeTooLow) {  // F6
  FlowAudit audit;
  EXPECT_EQ(audit.scanned(count(9, 4), count(9, 4), 8), 0);
  EXPECT_EQ(audit.scanned(count(9, 4), count(9, 4), 8), 0);
  EXPECT_EQ(audit.scanned(count(9, 4), count(9, 4), 8), -3);
}

TEST(FlowAudit, AfterACorrectionItBeginsAnew) {  // F6
  FlowAudit audit;
  for (int scan = 0; scan < 3; ++scan) audit.scanned(count(9, 4), count(9, 4), 3);
  for (int scan = 0; scan < 3; ++scan) EXPECT_EQ(audit.scanned(count(9, 6), count(9, 6), 3), 0);
}

TEST(FlowAudit, ADifferenceThatGoesAwayIsNone) {  // F6
  FlowAudit audit;
  for (int scan = 0; scan < 9; ++scan) {
    EXPECT_EQ(audit.scanned(count(9, 4), count(9, 4), scan % 3 == 2 ? 5 : 4), 0) << scan;
  }
}

// What flows that come and go can explain is never drift; what they cannot is found beneath them.
TEST(FlowAudit, TrafficDuringAScanIsNoDrift) {  // F6
  for (const int64_t drift : {0, 1, -2}) {
    std::mt19937 random(7);
    FlowAudit audit;
    int64_t found = 0;
    uint64_t opened = 1000000, closed = 999000;
    for (int scan = 0; scan < 400 && found == 0; ++scan) {
      const auto before = count(opened, closed);
      const uint64_t came = random() % 20, went = random() % 20;
      opened += came;
      closed += went;
      // Of those that were there, the scan misses some that went; of those that came it meets some.
      const uint64_t there = before.opened - before.closed;
      const uint64_t met =
          there - (went == 0 ? 0 : random() % (went + 1)) + (came == 0 ? 0 : random() % (came + 1));
      found = audit.scanned(before, count(opened, closed), met - static_cast<uint64_t>(drift));
    }
    EXPECT_TRUE(found * drift > 0 || drift == 0) << found;
    EXPECT_LE(std::abs(found), std::abs(drift));
  }
}

TEST(FlowAudit, AnOpeningThatIsTakenBackNarrowsNothing) {  // F6
  FlowAudit audit;
  for (int scan = 0; scan < 5; ++scan) EXPECT_EQ(audit.scanned(count(9, 4), count(8, 4), 5), 0);
}

}  // namespace
}  // namespace rampart::dataplane
