// SPDX-License-Identifier: Apache-2.0
#include "health/target_table.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "unit/health/scopes.h"

namespace rampart::health {
namespace {

using control::ActiveCheck;
using engine::Health;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

// A table in virtual time, in which a check ends at once as its address is told to.
class Played {
 public:
  explicit Played(std::vector<CheckedScope> scopes) { set(scopes); }

  void set(const std::vector<CheckedScope>& scopes) { given_up = table.set_scopes(scopes, now); }
  void answer(const std::string& address, ProbeEnd end) { answers_[address] = std::move(end); }

  // Everything that happens in the next `duration`, as "scope identity health: reason".
  std::vector<std::string> play(Duration duration) {
    std::vector<std::string> changes;
    const TimePoint end = now + duration;
    while (true) {
      for (const TargetTable::Start& start : table.start(now)) {
        const std::string address = start.target.address.to_string();
        checks[address].push_back(now);
        const auto answer = answers_.find(address);
        const auto change =
            table.finish(start.number, answer == answers_.end() ? passed() : answer->second, now);
        if (!change) continue;
        changes.push_back(change->scope + " " + change->identity + " " +
                          engine::name_of(change->health) + ": " + change->reason);
      }
      const auto deadline = table.next_deadline();
      if (!deadline || *deadline > end) break;
      now = std::max(now, *deadline);
    }
    now = end;
    return changes;
  }

  TargetTable table{512};
  TimePoint now = TimePoint(seconds(1000));
  std::vector<TargetNumber> given_up;
  std::map<std::string, std::vector<TimePoint>> checks;  // by address

 private:
  std::map<std::string, ProbeEnd> answers_;
};

TEST(TargetTable, ReportsTheFirstVerdictAndEveryChange) {
  Played played({scope("orders", {target("10.0.0.1"), target("10.0.0.2")})});
  played.answer("10.0.0.2", refused());
  EXPECT_THAT(
      played.play(milliseconds(2500)),
      testing::UnorderedElementsAre("orders 10.0.0.1:80 up: connected",
                                    "orders 10.0.0.2:80 down: connect: Connection refused"));
  played.answer("10.0.0.2", {ProbeEnd::Kind::kPassed, "http status 200"});
  EXPECT_THAT(played.play(seconds(2)), ElementsAre("orders 10.0.0.2:80 up: http status 200"));
  EXPECT_THAT(played.play(seconds(10)), IsEmpty());
}

// H2
TEST(TargetTable, ARestoredVerdictIsWhereATargetStarts) {
  ActiveCheck check = some_check();
  check.healthy.successes = 2;
  Played played(
      {scope("orders", {target("10.0.0.1", 80, Health::kUp), target("10.0.0.2", 80, Health::kDown)},
             check)});
  played.answer("10.0.0.1", refused());
  EXPECT_THAT(played.play(milliseconds(999)), IsEmpty());  // one report of each
  EXPECT_EQ(played.play(seconds(1)).size(), 2u);
}

TEST(TargetTable, ChecksByTheIntervalOfTheVerdict) {
  ActiveCheck check = some_check();
  check.healthy.interval = seconds(10);
  check.unhealthy.interval = seconds(2);
  Played played(
      {scope("orders", {target("10.0.0.1"), target("10.0.0.2", 80, Health::kDown)}, check)});
  played.answer("10.0.0.2", refused());
  played.play(seconds(100));
  EXPECT_NEAR(static_cast<double>(played.checks["10.0.0.1"].size()), 10, 1);
  EXPECT_NEAR(static_cast<double>(played.checks["10.0.0.2"].size()), 50, 1);
}

// H3: a weight edit, a reload, another node's change.
TEST(TargetTable, AReloadKeepsCountsVerdictAndSchedule) {
  const auto orders = [](std::vector<Target> targets) {
    ActiveCheck check = some_check();
    check.unhealthy.tcp_failures = 5;
    return scope("orders", std::move(targets), check);
  };
  Played left_alone({orders({target("10.0.0.1", 80, Health::kUp)})});
  Played reloaded({orders({target("10.0.0.1", 80, Health::kUp)})});
  left_alone.answer("10.0.0.1", refused());
  reloaded.answer("10.0.0.1", refused());
  std::vector<std::string> changes;
  for (int i = 0; i < 40; ++i) {
    const std::string other = "10.0.1." + std::to_string(i);
    reloaded.set({scope("stock", {target(other)}),
                  orders({target(other), target("10.0.0.1", 80, Health::kUnknown)})});
    for (const std::string& change : reloaded.play(milliseconds(130))) {
      if (change.find("10.0.0.1:80") != std::string::npos) changes.push_back(change);
    }
  }
  EXPECT_EQ(left_alone.play(milliseconds(130 * 40)), changes);
  EXPECT_EQ(changes.size(), 1u);
  EXPECT_EQ(left_alone.checks["10.0.0.1"], reloaded.checks["10.0.0.1"]);
}

// H3
TEST(TargetTable, AnotherDefinitionStartsAfresh) {
  Played played({scope("orders", {target("10.0.0.1", 80, Health::kUp)})});
  EXPECT_THAT(played.play(seconds(5)), IsEmpty());
  ActiveCheck other = some_check();
  other.timeout = seconds(2);
  played.set({scope("orders", {target("10.0.0.1", 80, Health::kUp)}, other)});
  EXPECT_THAT(played.play(seconds(1)), ElementsAre("orders 10.0.0.1:80 up: connected"));
}

// H3
TEST(TargetTable, ATargetOfTwoScopesIsTwoTargets) {
  ActiveCheck patient = some_check();
  patient.unhealthy.tcp_failures = 100;
  Played played({scope("orders", {target("10.0.0.1", 80, Health::kUp)}),
                 scope("stock", {target("10.0.0.1", 80, Health::kUp)}, patient)});
  played.answer("10.0.0.1", refused());
  EXPECT_THAT(played.play(seconds(5)),
              ElementsAre("orders 10.0.0.1:80 down: connect: Connection refused"));
}

// H3
TEST(TargetTable, TwoPortsOfOneHostAreTwoTargets) {
  Played played({scope("orders", {target("10.0.0.1", 80), target("10.0.0.1", 81)})});
  EXPECT_EQ(played.play(seconds(1)).size(), 2u);
}

TEST(TargetTable, WhatIsGoneIsCheckedNoMore) {
  Played played({scope("orders", {target("10.0.0.1"), target("10.0.0.2")})});
  played.play(seconds(2));
  played.set({scope("orders", {target("10.0.0.2")})});
  const size_t before = played.checks["10.0.0.1"].size();
  played.play(seconds(3));
  EXPECT_EQ(played.checks["10.0.0.1"].size(), before);
  EXPECT_EQ(played.table.size(), 1u);
  played.set({});
  EXPECT_EQ(played.table.size(), 0u);
  EXPECT_EQ(played.table.next_deadline(), std::nullopt);
}

TEST(TargetTable, WhatComesBackStartsFromTheVerdictItComesWith) {
  Played played({scope("orders", {target("10.0.0.1")})});
  EXPECT_EQ(played.play(seconds(1)).size(), 1u);
  played.set({scope("orders", {})});
  played.set({scope("orders", {target("10.0.0.1", 80, Health::kUp)})});
  EXPECT_THAT(played.play(seconds(3)), IsEmpty());
}

TEST(TargetTable, AStatusOfNeitherListAndAFaultOfOursChangeNothing) {
  for (const auto kind : {ProbeEnd::Kind::kUnjudged, ProbeEnd::Kind::kOwnFault}) {
    Played played({scope("orders", {target("10.0.0.1", 80, Health::kUp)})});
    played.answer("10.0.0.1", refused());
    played.play(seconds(1));  // one failure of two
    played.answer("10.0.0.1", {kind, "?"});
    EXPECT_THAT(played.play(seconds(5)), IsEmpty());
    EXPECT_NEAR(static_cast<double>(played.checks["10.0.0.1"].size()), 6, 1);
    played.answer("10.0.0.1", refused());
    EXPECT_EQ(played.play(seconds(1)).size(), 1u);
  }
}

TEST(TargetTable, AFaultOfOursIsTriedAgainWithinASecond) {
  ActiveCheck rare = some_check();
  rare.healthy.interval = seconds(3600);
  Played played({scope("orders", {target("10.0.0.1", 80, Health::kUp)}, rare)});
  played.answer("10.0.0.1", {ProbeEnd::Kind::kOwnFault, "?"});
  played.play(seconds(10));
  EXPECT_EQ(played.checks["10.0.0.1"].size(), 10u);
}

// H7, S4.3: the new address is used at once, and it is the same node.
TEST(TargetTable, ATargetThatMovedIsCheckedThere) {
  ActiveCheck rare = some_check();
  rare.healthy.interval = rare.unhealthy.interval = seconds(3600);
  Target pod{.identity = "uid", .addresses = {*IpAddress::parse("10.0.0.1")}, .port = 80};
  Played played({scope("orders", {pod}, rare)});
  EXPECT_THAT(played.play(seconds(1)), ElementsAre("orders uid up: connected"));
  pod.addresses = {*IpAddress::parse("10.0.0.2")};
  played.set({scope("orders", {pod}, rare)});
  EXPECT_THAT(played.play(Duration(0)), IsEmpty());
  EXPECT_THAT(played.checks["10.0.0.2"], ElementsAre(played.now));
}

TEST(TargetTable, ACheckUnderWayIsGivenUpWhereNobodyWantsItsEnd) {
  TargetTable table(512);
  const TimePoint now = TimePoint(seconds(1000));
  const std::vector<CheckedScope> all = {
      scope("orders", {target("10.0.0.1"), target("10.0.0.2"), target("10.0.0.3")})};
  EXPECT_THAT(table.set_scopes(all, now), IsEmpty());
  std::map<std::string, TargetNumber> under_way;
  for (const auto& start : table.start(now + seconds(1))) {
    under_way[start.target.address.to_string()] = start.number;
  }
  ASSERT_EQ(under_way.size(), 3u);
  EXPECT_THAT(table.set_scopes(all, now), IsEmpty());
  std::vector<CheckedScope> changed = all;
  changed[0].targets.erase(changed[0].targets.begin());
  changed[0].targets[0].port = 81;
  EXPECT_THAT(table.set_scopes(changed, now),
              testing::UnorderedElementsAre(under_way["10.0.0.1"], under_way["10.0.0.2"]));
  EXPECT_EQ(table.under_way(), 1u);
  const auto again = table.start(now + seconds(1));
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].target.port, 81);
}

// S4.5: flows go to all of its addresses.
TEST(TargetTable, ATargetFallsWithAnyOfItsAddresses) {
  Target both{.identity = "uid",
              .addresses = {*IpAddress::parse("10.0.0.1"), *IpAddress::parse("2001:db8::1")},
              .port = 80};
  ActiveCheck check = some_check();
  check.healthy.successes = 2;
  Played played({scope("orders", {both}, check)});
  EXPECT_EQ(played.play(seconds(10)).size(), 1u);
  EXPECT_EQ(played.checks["10.0.0.1"].size(), 5u);
  EXPECT_EQ(played.checks["2001:db8::1"].size(), 5u);
  played.answer("2001:db8::1", refused());
  EXPECT_THAT(played.play(seconds(10)),
              ElementsAre("orders uid down: connect: Connection refused"));
  played.answer("2001:db8::1", passed());
  EXPECT_THAT(played.play(seconds(2)), ElementsAre("orders uid up: connected"));
}

// H8: a machine is not asked by all of its scopes at once.
TEST(TargetTable, ScopesThatShareATargetCheckItAtTimesOfTheirOwn) {
  Played played({scope("orders", {target("10.0.0.1")}), scope("stock", {target("10.0.0.1")})});
  played.play(seconds(1));
  const std::vector<TimePoint>& times = played.checks["10.0.0.1"];
  ASSERT_EQ(times.size(), 2u);
  EXPECT_NE(times[0], times[1]);
}

// H8
TEST(TargetTable, FourThousandTargetsAreSpreadAndEachIsCheckedOnceASecond) {
  ActiveCheck check = some_check();
  check.concurrency = 1024;
  std::vector<Target> targets;
  for (int i = 0; i < 4096; ++i) {
    targets.push_back(target("10.1." + std::to_string(i / 256) + "." + std::to_string(i % 256)));
  }
  Played played({scope("orders", targets, check)});
  EXPECT_EQ(played.play(seconds(10)).size(), 4096u);
  std::map<int64_t, int> in_tenths;
  for (const auto& [address, times] : played.checks) {
    ASSERT_EQ(times.size(), 10u);
    for (size_t i = 1; i < times.size(); ++i) ASSERT_EQ(times[i] - times[i - 1], seconds(1));
    ++in_tenths[times[0].time_since_epoch() / milliseconds(100)];
  }
  for (const auto& [tenth, count] : in_tenths) EXPECT_LT(count, 600);
}

}  // namespace
}  // namespace rampart::health
