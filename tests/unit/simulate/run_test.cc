// SPDX-License-Identifier: Apache-2.0
#include "simulate/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/tabulate.h"
#include "unit/simulate/played.h"

namespace rampart::simulate {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Run, NamesTheLineAndWhatDidNotHold) {
  EXPECT_THAT(unmet_in("pool a=100 window=10s\n"
                       "\n"
                       "at 0s add b=100 expect b=11 state=ramping a=100 state=pending c=1\n"
                       "  b<=9 slots=1 panic=on moved=3 share=50%\n"),
              ElementsAre(HasSubstr("3: at 0s: b shows 10, not 11 ("),
                          "3: at 0s: a is mature, not pending", "3: at 0s: c is not in the pool",
                          HasSubstr("4: at 0s: b shows 10, not at most 9"),
                          "4: at 0s: b has 5958 slots, not 1", "4: at 0s: panic is off",
                          "4: at 0s: 5958 slots moved, not 3",
                          "4: at 0s: b has 9.091 % of the slots, not 50 %"));
}

TEST(Run, ARampBeginsAtTheFirstSecondOfItsCurve) {  // S2; docs/simulate.md says 1.67 %
  EXPECT_THAT(unmet_in("pool a=10000 window=60s floor=1%\n"
                       "at 5s add b=10000 expect b=166 state=ramping\n"),
              IsEmpty());
}

TEST(Run, StateIsTheLifecycleWhateverTheTableSumsUp) {  // docs/simulate.md
  const auto last_state = [](const std::string& text) {
    const auto run = played(text);
    EXPECT_THAT(run.failures, IsEmpty());
    return tabulate(run, Detail::kSome).rows.back()[3];
  };
  EXPECT_EQ(last_state("pool a=1 b=1 window=9s\nat 5s down b expect b=0 state=mature\n"), "down");
  EXPECT_EQ(last_state("pool a=1 b=1\nat 5s expect b=1 state=none\n"), "mature");
}

TEST(Run, TellsOfRequestsThatDidNotComeAsExpected) {
  EXPECT_THAT(unmet_in("pool a=100 requests=10/s lasting=1s\n"
                       "at 5s expect a=100 in_flight=5 requests>=60\n"),
              ElementsAre("2: at 5s: a has 10 in flight, not 5",
                          "2: at 5s: a got 50 requests, not at least 60"));
}

TEST(Run, OneLineIsOneUpdateOfTheListing) {  // S3.12: never empty in between
  EXPECT_THAT(unmet_in("pool a=100 window=10s\n"
                       "at 5s remove a add b=100 expect b=10 state=ramping\n"),
              IsEmpty());
  EXPECT_THAT(unmet_in("pool a=100 window=10s\n"
                       "at 5s remove a\n"
                       "at 5s add b=100 expect b=100 state=mature\n"),
              IsEmpty());
}

TEST(Run, OperatorsDoWhatTheCommandLineDoes) {  // W1, S3.25, F5
  EXPECT_THAT(unmet_in("pool a=100 b=100 window=10s\n"
                       "at 1s drain a override b=50       expect a=0 b=50\n"
                       "at 2s undrain a clear b           expect a=100 b=100 state=mature\n"
                       "at 3s maintenance a               expect a=0 state=mature\n"
                       "at 4s ready a --ramp              expect a=10 state=ramping\n"),
              IsEmpty());
}

TEST(Run, ANewcomerToACheckedPoolWaitsForItsFirstPass) {  // H2, S3.4, S3.10
  EXPECT_THAT(unmet_in("pool a=100 window=10s check=tcp\n"
                       "at 0s expect a=100\n"
                       "at 5s add b=100  expect b=0 state=pending\n"
                       "at 9s up b       expect b=10 state=ramping\n"
                       "at 14s           expect b=50\n"),
              IsEmpty());
}

TEST(Run, TheTableIsOfTheHighestTierThatServes) {  // W4
  EXPECT_THAT(unmet_in("pool a=100 spare=100 priority=-1 table=251 fail_closed=on\n"
                       "at 1s expect a=100 slots=251 spare=100 slots=0\n"
                       "at 2s down a expect a=0 slots=0 spare=100 slots=251\n"),
              IsEmpty());
}

TEST(Run, AddressesOfOneNodeShareItsWeight) {  // S4.5
  EXPECT_THAT(unmet_in("pool a=100 address=10.0.0.1,10.0.0.2 b=100 table=251\n"
                       "at 1s expect a=100 slots=126 b=100 slots=125 moved=0\n"
                       "at 2s move a=10.0.0.1,10.0.0.3 expect a=100 slots=126 moved=63\n"),
              IsEmpty());
}

TEST(Run, ARestartWithoutItsStateKnowsWhatIsPinned) {  // S3.21
  EXPECT_THAT(unmet_in("pool a=100 window=10s\n"
                       "at 5s  add b=100\n"
                       "at 6s  restart state=lost away=2s\n"
                       "at 7s  add c=100\n"
                       "at 9s  expect b=100 state=mature c=10 state=ramping\n"
                       "at 10s reboot state=lost expect c=100 state=mature\n"),
              IsEmpty());
}

TEST(Run, ARestartMovesNoSlot) {  // W8
  EXPECT_THAT(unmet_in("pool a=100 b=50 c=3 window=10s\n"
                       "at 5s restart expect moved=0\n"
                       "at 6s restart state=lost expect moved=0\n"),
              IsEmpty());
}

TEST(Run, WhatARestartComesWithIsSeenBeforeIt) {  // S3.24
  const auto run = played(
      "pool a=100 b=1 window=10s\n"
      "at 10s add c=100 restart away=5s\n"
      "at 12s remove b\n"
      "until 40s\n");
  const auto at_10s = [](const Sample& sample) { return sample.at == TimePoint(10s); };
  const auto sample = std::find_if(run.samples.begin(), run.samples.end(), at_10s);
  ASSERT_NE(sample, run.samples.end());
  EXPECT_EQ(sample->counts.at("c").slots, 5904u);  // 10 of 111
  EXPECT_EQ(sample->moved, 5904u);
  std::vector<std::string> kinds;
  for (const Happening& one : run.happenings) kinds.push_back(one.kind);
  EXPECT_THAT(kinds, ElementsAre("began", "finished"));
  EXPECT_EQ(run.happenings.front().at, TimePoint(10s));
}

TEST(Run, WhatFollowsARestartIsHeardByTheNewProcess) {  // S3.21
  EXPECT_THAT(unmet_in("pool a=100 b=100 window=10s\n"
                       "at 5s restart down b expect a=100 b=0 state=mature\n"
                       "at 6s reboot state=lost up b expect a=100 b=100 state=mature\n"),
              IsEmpty());
}

TEST(Run, DeterministicRequestsComeLikeAClock) {  // P1
  EXPECT_THAT(
      unmet_in("pool a=100 b=100 requests=10/s lasting=3s\n"
               "at 10s expect a=100 requests=50 in_flight=15 b=100 requests=50 in_flight=15\n"
               "at 10s set requests=0/s\n"
               "at 20s expect a=100 requests=0 in_flight=0\n"),
      IsEmpty());
}

TEST(Run, ANodeThatLeftKeepsItsFlows) {  // L4
  EXPECT_THAT(unmet_in("pool a=1 b=1 algorithm=least_conn requests=10/s lasting=5s\n"
                       "at 10s remove b expect b=0 in_flight=25\n"),
              ElementsAre("2: at 10s: b is not in the pool"));
  EXPECT_THAT(unmet_in("pool a=1 b=1 algorithm=least_conn requests=10/s lasting=5s\n"
                       "at 10s remove b\n"
                       "at 16s add b=1 expect b=1 in_flight=0 a=1 in_flight=50\n"),
              IsEmpty());
}

TEST(Run, DrawsTheSameFromTheSameSeed) {
  const std::string text = "pool a=1 b=1 algorithm=chash requests=~20/s lasting=~2s\nuntil 20s\n";
  const auto requests_to_a = [&](uint64_t seed) {
    uint64_t sum = 0;
    for (const Sample& one : played(text, seed).samples) sum += one.counts.at("a").requests;
    return sum;
  };
  EXPECT_EQ(requests_to_a(1), requests_to_a(1));
  EXPECT_NE(requests_to_a(1), requests_to_a(2));
  EXPECT_NEAR(static_cast<double>(requests_to_a(1)), 200, 60);  // four deviations
}

TEST(Run, RequestsComeSeldomAtATinyRate) {  // the next one is beyond what a clock counts
  Scenario scenario = scenario_of("pool a=1 requests=~1/s lasting=1s\nuntil 5s\n");
  scenario.settings.load.per_second = 1e-300;
  EXPECT_EQ(run_scenario(scenario, 0).samples.back().counts.at("a").requests, 0u);
  scenario.settings.load.gaps_drawn = false;
  uint64_t requests = 0;
  const auto run = run_scenario(scenario, 0);
  for (const Sample& one : run.samples) requests += one.counts.at("a").requests;
  EXPECT_EQ(requests, 1u);  // at 0 s
}

TEST(Run, CountsRequestsThatNobodyServes) {  // W3
  uint64_t unserved = 0;
  const auto run = played("pool requests=10/s\nuntil 2s\n");
  for (const Sample& one : run.samples) unserved += one.unserved;
  EXPECT_EQ(unserved, 20u);
}

TEST(Run, LooksAtEveryRefresh) {  // S3.23
  const auto run = played("pool a=100 window=10s\nat 5s add b=100\nuntil 20s\n");
  EXPECT_EQ(run.samples.size(), 1u + 1u + 10u + 1u);  // 0 s, the moment, 6 s … 15 s, 20 s
  ASSERT_EQ(run.happenings.size(), 2u);
  EXPECT_EQ(run.happenings[0].kind, "began");
  EXPECT_EQ(run.happenings[1].kind, "finished");
  EXPECT_EQ(run.happenings[1].at, TimePoint(15s));
}

}  // namespace
}  // namespace rampart::simulate
