// SPDX-License-Identifier: Apache-2.0
#include "health/schedule.h"

#include <gmock/gmock.h>

#include <map>
#include <random>

#include "health/jitter.h"

namespace rampart::health {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr GroupNumber kFirst{1};
constexpr GroupNumber kSecond{2};

TimePoint at(int64_t ms) {
  return TimePoint(milliseconds(ms));
}

// Numbers of what begins at `ms`.
std::vector<uint64_t> begun(Schedule& schedule, int64_t ms) {
  std::vector<uint64_t> numbers;
  for (const Schedule::Start& start : schedule.start(at(ms))) {
    numbers.push_back(static_cast<uint64_t>(start.target));
  }
  return numbers;
}

void add(Schedule& schedule, GroupNumber group, uint64_t first, uint64_t count, int64_t due_ms) {
  for (uint64_t i = 0; i < count; ++i) schedule.add(TargetNumber{first + i}, group, at(due_ms));
}

TEST(Schedule, ATargetBeginsWhenItIsDueAndOnce) {
  Schedule schedule(10);
  schedule.set_group(kFirst, 10);
  EXPECT_EQ(schedule.next_deadline(), std::nullopt);
  add(schedule, kFirst, 1, 1, 100);
  EXPECT_EQ(schedule.next_deadline(), at(100));
  EXPECT_THAT(begun(schedule, 99), IsEmpty());
  EXPECT_THAT(begun(schedule, 100), ElementsAre(1));
  EXPECT_THAT(begun(schedule, 5000), IsEmpty());  // it is under way
  EXPECT_EQ(schedule.next_deadline(), std::nullopt);
  schedule.finish(TargetNumber{1}, at(200));
  EXPECT_EQ(schedule.next_deadline(), at(200));
  EXPECT_THAT(begun(schedule, 300), ElementsAre(1));
}

// H8
TEST(Schedule, NoMoreOfAGroupAreUnderWayThanItsConcurrency) {
  Schedule schedule(10);
  schedule.set_group(kFirst, 2);
  add(schedule, kFirst, 1, 5, 0);
  EXPECT_THAT(begun(schedule, 0), ElementsAre(1, 2));
  EXPECT_EQ(schedule.waiting(), 3u);
  schedule.finish(TargetNumber{2}, at(1));  // due again, behind those that wait longer
  EXPECT_THAT(begun(schedule, 1), ElementsAre(3));
  schedule.finish(TargetNumber{1}, at(100));
  schedule.finish(TargetNumber{3}, at(100));
  EXPECT_THAT(begun(schedule, 2), ElementsAre(4, 5));
  schedule.set_group(kFirst, 3);
  EXPECT_THAT(begun(schedule, 3), ElementsAre(2));
  EXPECT_EQ(schedule.waiting(), 0u);
}

// H8
TEST(Schedule, NoMoreOfAllGroupsAreUnderWayThanTheBound) {
  Schedule schedule(3);
  schedule.set_group(kFirst, 10);
  schedule.set_group(kSecond, 10);
  add(schedule, kFirst, 1, 4, 0);
  add(schedule, kSecond, 11, 4, 0);
  EXPECT_EQ(begun(schedule, 0).size(), 3u);
  EXPECT_EQ(schedule.under_way(), 3u);
  EXPECT_EQ(schedule.waiting(), 5u);
}

TEST(Schedule, GroupsTakeTurns) {
  Schedule schedule(1);
  schedule.set_group(kFirst, 10);
  schedule.set_group(kSecond, 10);
  add(schedule, kFirst, 1, 100, 0);
  add(schedule, kSecond, 1001, 2, 1);  // later
  std::vector<uint64_t> order;
  for (int i = 0; i < 5; ++i) {
    order.push_back(begun(schedule, 2).at(0));
    schedule.finish(TargetNumber{order.back()}, at(1000));
  }
  EXPECT_THAT(order, ElementsAre(1, 1001, 2, 1002, 3));
}

TEST(Schedule, ATargetCanBeTakenOutInEveryState) {
  Schedule schedule(10);
  schedule.set_group(kFirst, 1);
  add(schedule, kFirst, 1, 3, 0);
  add(schedule, kFirst, 4, 1, 1000);
  EXPECT_THAT(begun(schedule, 0), ElementsAre(1));
  EXPECT_FALSE(schedule.remove(TargetNumber{2}));  // waiting
  EXPECT_FALSE(schedule.remove(TargetNumber{4}));  // asleep
  EXPECT_TRUE(schedule.remove(TargetNumber{1}));   // under way: makes room
  EXPECT_THAT(begun(schedule, 0), ElementsAre(3));
  EXPECT_TRUE(schedule.remove(TargetNumber{3}));
  schedule.remove_group(kFirst);
  EXPECT_THAT(begun(schedule, 9999), IsEmpty());
  EXPECT_EQ(schedule.under_way(), 0u);
  EXPECT_EQ(schedule.waiting(), 0u);
}

TEST(Schedule, AGroupThatIsGoneLosesItsTurn) {
  Schedule schedule(1);
  schedule.set_group(kFirst, 1);
  schedule.set_group(kSecond, 1);
  add(schedule, kFirst, 1, 1, 0);
  add(schedule, kSecond, 2, 1, 0);
  add(schedule, kSecond, 3, 1, 1);
  EXPECT_THAT(begun(schedule, 0), ElementsAre(1));
  schedule.remove(TargetNumber{2});
  schedule.remove(TargetNumber{3});
  schedule.remove_group(kSecond);
  schedule.finish(TargetNumber{1}, at(10));
  EXPECT_THAT(begun(schedule, 10), ElementsAre(1));
}

// H8: random durations, some far longer than the interval, under bounds that bite.
TEST(Schedule, NothingIsDroppedOrDoubledThroughAnHour) {
  std::mt19937 random(1);
  Schedule schedule(7);
  std::map<uint64_t, int64_t> ends;  // of what is under way
  std::map<uint64_t, int> checks;
  for (uint64_t group = 0; group < 4; ++group) {
    schedule.set_group(GroupNumber{group}, group + 1);
    add(schedule, GroupNumber{group}, group * 100, 10 * (group + 1), 0);
  }
  for (int64_t now = 0; now < 3'600'000; now += 100) {
    for (auto it = ends.begin(); it != ends.end();) {
      if (it->second > now) {
        ++it;
        continue;
      }
      schedule.finish(TargetNumber{it->first}, at(now + 1000));
      it = ends.erase(it);
    }
    for (const uint64_t number : begun(schedule, now)) {
      ++checks[number];
      const bool fresh = ends.emplace(number, now + 50 + random() % 3000).second;
      ASSERT_TRUE(fresh) << number << " is checked twice at once";
    }
    std::map<uint64_t, size_t> of_group;
    for (const auto& [number, end] : ends) ++of_group[number / 100];
    for (const auto& [group, count] : of_group) ASSERT_LE(count, group + 1);
    ASSERT_LE(ends.size(), 7u);
    ASSERT_EQ(ends.size(), schedule.under_way());
  }
  ASSERT_EQ(checks.size(), 100u);
  for (uint64_t group = 0; group < 4; ++group) {  // each of a group as often as any other
    for (uint64_t i = 0; i < 10 * (group + 1); ++i) {
      EXPECT_NEAR(checks[group * 100 + i], checks[group * 100], checks[group * 100] / 10 + 1);
    }
  }
}

// H8
TEST(Jitter, SpreadsTargetsOverTheInterval) {
  std::vector<int> tenths(10);
  for (uint64_t i = 0; i < 1000; ++i) {
    const TimePoint due = next_in_phase(at(12'345), seconds(10), i * 0x9e3779b97f4a7c15ull);
    EXPECT_GT(due, at(12'345));
    EXPECT_LE(due, at(22'345));
    ++tenths.at(static_cast<size_t>((due - at(12'346)) / seconds(1)) % 10);
  }
  for (const int count : tenths) EXPECT_GT(count, 50);
}

// H8: it depends on the clock and the target alone.
TEST(Jitter, AReloadDoesNotGatherTargets) {
  EXPECT_EQ(next_in_phase(at(1000), seconds(7), 4711), next_in_phase(at(1001), seconds(7), 4711));
}

TEST(Jitter, KeepsAPhaseFromOneCheckToTheNext) {
  const TimePoint first = next_in_phase(at(5000), seconds(3), 99);
  EXPECT_EQ(next_due(first, first + milliseconds(1), seconds(3), 99), first + seconds(3));
  EXPECT_EQ(next_due(first, first + milliseconds(2999), seconds(3), 99), first + seconds(3));
}

TEST(Jitter, WhatWasMissedIsOneCheckAtOnce) {
  const TimePoint first = next_in_phase(at(5000), seconds(3), 99);
  const TimePoint now = first + seconds(10);
  const TimePoint next = next_due(first, now, seconds(3), 99);
  EXPECT_EQ(next, first + seconds(9));
  EXPECT_EQ(next_due(next, now, seconds(3), 99), first + seconds(12));
}

// H2: a newcomer is out of service until its first pass.
TEST(Jitter, TheFirstCheckComesWithinASecond) {
  for (uint64_t hash = 0; hash < 100; ++hash) {
    const TimePoint due = first_due(at(777), seconds(3600), hash * 0x9e3779b97f4a7c15ull);
    EXPECT_GT(due, at(777));
    EXPECT_LE(due, at(1777));
  }
}

}  // namespace
}  // namespace rampart::health
