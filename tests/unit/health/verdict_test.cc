// SPDX-License-Identifier: Apache-2.0
#include "health/verdict.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rampart::health {
namespace {

using control::ActiveCheck;
using engine::Health;

constexpr Report kAll[] = {Report::kSuccess, Report::kTcpFailure, Report::kHttpFailure,
                           Report::kTimeout};

ActiveCheck counts(uint32_t successes, uint32_t tcp_failures, uint32_t http_failures,
                   uint32_t timeouts) {
  ActiveCheck check;
  check.healthy.successes = successes;
  check.unhealthy.tcp_failures = tcp_failures;
  check.unhealthy.http_failures = http_failures;
  check.unhealthy.timeouts = timeouts;
  return check;
}

// What is said by reports "s" (success), "t" (tcp failure), "h" (http failure), "o" (timeout).
Health after(const std::string& reports, const ActiveCheck& check, Health start) {
  Verdict verdict(start);
  for (const char letter : reports) {
    verdict.count(kAll[std::string("stho").find(letter)], check);
  }
  return verdict.health();
}

// The rule as a reader would check it by hand: from everything that was said since the verdict last
// changed.
class Model {
 public:
  Model(Health start, const ActiveCheck& check) : health_(start), check_(check) {}

  void say(Report report) {
    if (needed(report) == 0) return;
    said_.push_back(report);
    const bool success = report == Report::kSuccess;
    uint32_t row = 0;
    for (auto it = said_.rbegin(); it != said_.rend(); ++it) {
      if ((*it == Report::kSuccess) != success) break;
      row += *it == report ? 1 : 0;
    }
    const Health towards = success ? Health::kUp : Health::kDown;
    const bool enough = row >= needed(report) || (success && health_ == Health::kUnknown);
    if (health_ == towards || !enough) return;
    health_ = towards;
    said_.clear();
  }

  Health health() const { return health_; }

 private:
  uint32_t needed(Report report) const {
    if (report == Report::kSuccess) return check_.healthy.successes;
    if (report == Report::kTcpFailure) return check_.unhealthy.tcp_failures;
    return report == Report::kHttpFailure ? check_.unhealthy.http_failures
                                          : check_.unhealthy.timeouts;
  }

  Health health_;
  ActiveCheck check_;
  std::vector<Report> said_;
};

// Every sequence of `more` reports on top of what both have heard already.
void expect_alike(const Verdict& verdict, const Model& model, const ActiveCheck& check, int more) {
  if (more == 0 || testing::Test::HasFailure()) return;
  for (const Report report : kAll) {
    Verdict next = verdict;
    Model expected = model;
    expected.say(report);
    const bool changed = next.count(report, check);
    ASSERT_EQ(next.health(), expected.health());
    ASSERT_EQ(changed, next.health() != verdict.health());
    expect_alike(next, expected, check, more - 1);
  }
}

// H4: all counts from 0 to 3 and 2, all sequences of six reports, from all verdicts.
TEST(Verdict, FollowsTheRuleThroughEverySequence) {
  for (int i = 0; i < 4 * 3 * 3 * 3; ++i) {
    const ActiveCheck check = counts(i % 4, i / 4 % 3, i / 12 % 3, i / 36);
    for (const Health start : {Health::kUnknown, Health::kUp, Health::kDown}) {
      expect_alike(Verdict(start), Model(start, check), check, 6);
    }
  }
}

// H4
TEST(Verdict, RisesAndFallsByAsManyInARow) {
  const ActiveCheck check = counts(3, 3, 3, 3);
  EXPECT_EQ(after("ss", check, Health::kDown), Health::kDown);
  EXPECT_EQ(after("sss", check, Health::kDown), Health::kUp);
  for (const char kind : {'t', 'h', 'o'}) {
    EXPECT_EQ(after(std::string(2, kind), check, Health::kUp), Health::kUp);
    EXPECT_EQ(after(std::string(3, kind), check, Health::kUp), Health::kDown);
  }
}

// H4
TEST(Verdict, AnOppositeReportResetsTheCounter) {
  const ActiveCheck check = counts(2, 2, 2, 2);
  EXPECT_EQ(after("sts", check, Health::kDown), Health::kDown);
  EXPECT_EQ(after("stss", check, Health::kDown), Health::kUp);
  EXPECT_EQ(after("tst", check, Health::kUp), Health::kUp);
  EXPECT_EQ(after("tstt", check, Health::kUp), Health::kDown);
}

// H1
TEST(Verdict, CountsKindsOfFailureApart) {
  const ActiveCheck check = counts(1, 2, 3, 4);
  EXPECT_EQ(after("thhooo", check, Health::kUp), Health::kUp);
  EXPECT_EQ(after("thhooot", check, Health::kUp), Health::kDown);
  EXPECT_EQ(after("thhoooh", check, Health::kUp), Health::kDown);
  EXPECT_EQ(after("thhoooo", check, Health::kUp), Health::kDown);
}

// H2: pending until its first pass.
TEST(Verdict, WithoutAVerdictTheFirstPassBringsItUp) {
  EXPECT_EQ(after("s", counts(200, 2, 2, 2), Health::kUnknown), Health::kUp);
  EXPECT_EQ(after("ts", counts(200, 2, 2, 2), Health::kUnknown), Health::kUp);
}

// H2
TEST(Verdict, WithoutAVerdictItFallsByTheCounts) {
  EXPECT_EQ(after("t", counts(2, 2, 2, 2), Health::kUnknown), Health::kUnknown);
  EXPECT_EQ(after("tt", counts(2, 2, 2, 2), Health::kUnknown), Health::kDown);
}

// H2
TEST(Verdict, ARestoredOneStandsUntilTheCountsSayOtherwise) {
  EXPECT_EQ(after("s", counts(2, 2, 2, 2), Health::kDown), Health::kDown);
  EXPECT_EQ(after("t", counts(2, 2, 2, 2), Health::kUp), Health::kUp);
}

// H1, as in APISIX.
TEST(Verdict, ACountOfZeroTurnsAKindOff) {
  EXPECT_EQ(after("sssss", counts(0, 2, 2, 2), Health::kDown), Health::kDown);
  EXPECT_EQ(after("sssss", counts(0, 2, 2, 2), Health::kUnknown), Health::kUnknown);
  EXPECT_EQ(after("ttttt", counts(2, 0, 2, 2), Health::kUp), Health::kUp);
  EXPECT_EQ(after("sts", counts(2, 0, 2, 2), Health::kDown), Health::kUp);
  EXPECT_EQ(after("tst", counts(0, 2, 2, 2), Health::kUp), Health::kDown);
}

}  // namespace
}  // namespace rampart::health
