// SPDX-License-Identifier: Apache-2.0
#include "health/passive.h"

#include <gtest/gtest.h>

namespace rampart::health {
namespace {

const control::PassiveCheck kCheck = {.tcp_failures = 2, .http_failures = 3, .timeouts = 0};

TEST(PassiveVerdicts, H1_ANodeFallsByAsManyFailuresInARow) {
  PassiveVerdicts verdicts;
  EXPECT_FALSE(verdicts.count("s", "a", Report::kTcpFailure, kCheck));
  EXPECT_FALSE(verdicts.count("s", "b", Report::kTcpFailure, kCheck)) << "each for itself";
  EXPECT_TRUE(verdicts.count("s", "a", Report::kTcpFailure, kCheck));
  EXPECT_FALSE(verdicts.count("s", "a", Report::kTcpFailure, kCheck)) << "counting starts again";
}

TEST(PassiveVerdicts, H4_ASuccessForgetsFailures) {
  PassiveVerdicts verdicts;
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(verdicts.count("s", "a", Report::kHttpFailure, kCheck));
    EXPECT_FALSE(verdicts.count("s", "a", Report::kHttpFailure, kCheck));
    EXPECT_FALSE(verdicts.count("s", "a", Report::kSuccess, kCheck));
  }
}

TEST(PassiveVerdicts, ACountOfZeroTurnsAReportOff) {
  PassiveVerdicts verdicts;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(verdicts.count("s", "a", Report::kTimeout, kCheck));
}

TEST(PassiveVerdicts, WhatIsNotListedIsForgotten) {
  PassiveVerdicts verdicts;
  EXPECT_FALSE(verdicts.count("s", "a", Report::kTcpFailure, kCheck));
  verdicts.keep_only({{"s", {"b"}}});
  EXPECT_FALSE(verdicts.count("s", "a", Report::kTcpFailure, kCheck));
  verdicts.keep_only({{"s", {"a"}}});
  EXPECT_TRUE(verdicts.count("s", "a", Report::kTcpFailure, kCheck));
}

}  // namespace
}  // namespace rampart::health
