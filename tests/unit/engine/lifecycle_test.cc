// SPDX-License-Identifier: Apache-2.0
// The table of S3, row by row, on the pure function.
#include "engine/lifecycle.h"

#include <gtest/gtest.h>

#include "unit/engine/one_scope.h"

namespace rampart::engine {
namespace {

using namespace std::chrono_literals;
using Kind = Event::Kind;

const std::optional<SlowStart> kBlock = window_of(10s);

constexpr Sighting kEligible = {.present = true, .eligible = true, .known = true};
constexpr Sighting kUnusable = {.present = true, .eligible = false, .known = true};
constexpr Sighting kAbsent = {.present = false, .eligible = true, .known = true};

Sighting new_here(bool eligible) {
  return {.present = true, .eligible = eligible};
}
Sighting in_baseline(bool eligible) {
  return {.present = true, .eligible = eligible, .baseline = true};
}
NodeHistory mature() {
  return {.lifecycle = Lifecycle::kMature, .cause = Cause::kBaseline};
}
NodeHistory pending() {
  return {.lifecycle = Lifecycle::kPending, .cause = Cause::kNeverEligible};
}
NodeHistory ramping_from(TimePoint start) {
  return {.lifecycle = Lifecycle::kRamping, .cause = Cause::kJoined, .ramp_start = start};
}
NodeHistory marked(NodeHistory history, TimePoint since) {
  history.unusable_since = since;
  return history;
}
NodeHistory buried(NodeHistory history, TimePoint since) {
  history.absent_since = since;
  return history;
}

void expect_ramp(const Transition& result, TimePoint start, Kind event, Cause cause) {
  EXPECT_EQ(result.next.lifecycle, Lifecycle::kRamping);
  EXPECT_EQ(result.next.ramp_start, start);
  EXPECT_EQ(result.next.cause, cause);
  EXPECT_FALSE(result.next.unusable_since);
  EXPECT_FALSE(result.next.absent_since);
  EXPECT_EQ(result.event, event);
}
void expect_mature(const Transition& result, Cause cause) {
  EXPECT_EQ(result.next.lifecycle, Lifecycle::kMature);
  EXPECT_EQ(result.next.cause, cause);
  EXPECT_FALSE(result.next.absent_since);
}

TEST(Lifecycle, MakesABaselineMature) {  // S3.1
  const Transition result = transition({}, in_baseline(true), kBlock, at(5s));
  expect_mature(result, Cause::kBaseline);
  EXPECT_FALSE(result.event);
}

TEST(Lifecycle, NeverPunishesAKnownNodeWhoseStateWasLost) {  // S3.2
  const Transition result = transition({}, kEligible, kBlock, at(5s));
  expect_mature(result, Cause::kKnown);
  EXPECT_FALSE(result.event);
}

TEST(Lifecycle, RampsANewcomer) {  // S3.3
  expect_ramp(transition({}, new_here(true), kBlock, at(5s)), at(5s), Kind::kBegan, Cause::kJoined);
}

TEST(Lifecycle, RampsAPendingNodeFromItsFirstEligibility) {  // S3.4
  expect_ramp(transition(pending(), kEligible, kBlock, at(5s)), at(5s), Kind::kBegan,
              Cause::kFirstEligible);
}

TEST(Lifecycle, RampsAPendingNodeInsideABaselineToo) {  // S3.4
  expect_ramp(transition(pending(), in_baseline(true), kBlock, at(5s)), at(5s), Kind::kBegan,
              Cause::kFirstEligible);
}

TEST(Lifecycle, RestartsWhatWasUnusableForLongerThanTheWindow) {  // S3.5
  for (const NodeHistory& history : {mature(), ramping_from(at(0s))}) {
    expect_ramp(transition(marked(history, at(3s)), kEligible, kBlock, at(13s + 1ns)),
                at(13s + 1ns), Kind::kRestarted, Cause::kUnusableTooLong);
  }
}

TEST(Lifecycle, DoesNotRestartWhatWasUnusableForExactlyTheWindow) {  // S3.5
  const Transition result = transition(marked(mature(), at(3s)), kEligible, kBlock, at(13s));
  expect_mature(result, Cause::kBaseline);
  EXPECT_EQ(result.event, Kind::kResumed);
}

TEST(Lifecycle, RestartsAnyRecoveryWhereTheOperatorSaysSo) {  // S3.5
  std::optional<SlowStart> block = kBlock;
  block->on_recovery = OnRecovery::kRamp;
  expect_ramp(transition(marked(mature(), at(3s)), kEligible, block, at(4s)), at(4s),
              Kind::kRestarted, Cause::kRecovered);
  // Coming back from absence alone is no recovery.
  EXPECT_EQ(transition(buried(mature(), at(3s)), kEligible, block, at(4s)).event, Kind::kResumed);
}

TEST(Lifecycle, FinishesARampAtTheWindow) {  // S3.6
  EXPECT_EQ(transition(ramping_from(at(2s)), kEligible, kBlock, at(12s - 1ns)).next.lifecycle,
            Lifecycle::kRamping);
  const Transition result = transition(ramping_from(at(2s)), kEligible, kBlock, at(12s));
  expect_mature(result, Cause::kFinished);
  EXPECT_EQ(result.event, Kind::kFinished);
  EXPECT_FALSE(transition(result.next, kEligible, kBlock, at(12s)).event);
}

TEST(Lifecycle, FinishesARampThatIsMarkedAndDropsTheMark) {  // S3.6
  const Transition result =
      transition(marked(ramping_from(at(2s)), at(8s)), kEligible, kBlock, at(15s));
  expect_mature(result, Cause::kFinished);
  EXPECT_FALSE(result.next.unusable_since);
  EXPECT_EQ(result.event, Kind::kFinished);
}

TEST(Lifecycle, DropsMarkAndTombstoneOfWhatReturnsWhileTheClockRanOn) {  // S3.7
  const NodeHistory away = buried(marked(ramping_from(at(2s)), at(3s)), at(4s));
  const Transition result = transition(away, kEligible, kBlock, at(8s));
  EXPECT_EQ(result.next.lifecycle, Lifecycle::kRamping);
  EXPECT_EQ(result.next.ramp_start, at(2s));
  EXPECT_FALSE(result.next.unusable_since);
  EXPECT_FALSE(result.next.absent_since);
  EXPECT_EQ(result.event, Kind::kResumed);
}

TEST(Lifecycle, LeavesWhatGoesOnUnchanged) {  // S3.7
  for (const NodeHistory& history : {mature(), ramping_from(at(2s))}) {
    const Transition result = transition(history, kEligible, kBlock, at(8s));
    EXPECT_EQ(result.next, history);
    EXPECT_FALSE(result.event);
  }
}

TEST(Lifecycle, MarksWhatBecomesUnusableOnce) {  // S3.8
  for (const NodeHistory& history : {mature(), ramping_from(at(2s))}) {
    const Transition first = transition(history, kUnusable, kBlock, at(5s));
    EXPECT_EQ(first.next.lifecycle, history.lifecycle);
    EXPECT_EQ(first.next.unusable_since, at(5s));
    EXPECT_FALSE(first.event);
    // The earliest wins.
    EXPECT_EQ(transition(first.next, kUnusable, kBlock, at(6s)).next.unusable_since, at(5s));
  }
}

TEST(Lifecycle, KeepsTheMarkOfWhatReturnsUnusable) {  // S3.8
  const NodeHistory away = buried(marked(mature(), at(3s)), at(4s));
  const Transition result = transition(away, kUnusable, kBlock, at(6s));
  EXPECT_EQ(result.next.unusable_since, at(3s));
  EXPECT_FALSE(result.next.absent_since);
}

TEST(Lifecycle, TakesAnUnusableNodeOfABaselineOrAKnownOneForMature) {  // S3.9
  for (const Sighting& sighting : {in_baseline(false), kUnusable}) {
    const Transition result = transition({}, sighting, kBlock, at(5s));
    EXPECT_EQ(result.next.lifecycle, Lifecycle::kMature);
    EXPECT_EQ(result.next.unusable_since, at(5s));
    EXPECT_FALSE(result.event);
  }
}

TEST(Lifecycle, KeepsAnUnusableNewcomerPending) {  // S3.10
  const Transition result = transition({}, new_here(false), kBlock, at(5s));
  EXPECT_EQ(result.next.lifecycle, Lifecycle::kPending);
  EXPECT_FALSE(result.next.unusable_since);
  EXPECT_EQ(transition(result.next, kUnusable, kBlock, at(100s)).next, result.next);
}

TEST(Lifecycle, BuriesWhatIsAbsentForOneWindow) {  // S3.11
  for (const NodeHistory& history : {mature(), ramping_from(at(2s)), pending()}) {
    const Transition gone = transition(history, kAbsent, kBlock, at(5s));
    EXPECT_EQ(gone.next.lifecycle, history.lifecycle);
    EXPECT_EQ(gone.next.absent_since, at(5s));
    const Transition still = transition(gone.next, kAbsent, kBlock, at(15s - 1ns));
    EXPECT_EQ(still.next, gone.next);
    EXPECT_EQ(transition(gone.next, kAbsent, kBlock, at(15s)).next.lifecycle, Lifecycle::kNone);
  }
}

TEST(Lifecycle, RestartsWhatIsBackAfterExactlyOneWindow) {  // S3.11
  const NodeHistory away = buried(mature(), at(5s));
  EXPECT_EQ(transition(away, new_here(true), kBlock, at(15s - 1ns)).next.lifecycle,
            Lifecycle::kMature);
  expect_ramp(transition(away, new_here(true), kBlock, at(15s)), at(15s), Kind::kBegan,
              Cause::kJoined);
  EXPECT_EQ(transition(away, in_baseline(true), kBlock, at(15s)).next.lifecycle,
            Lifecycle::kMature);
}

TEST(Lifecycle, RampsAPendingNodeThatReturnsEligible) {  // S3.4 S3.11
  const NodeHistory away = buried(pending(), at(5s));
  expect_ramp(transition(away, new_here(true), kBlock, at(6s)), at(6s), Kind::kBegan,
              Cause::kFirstEligible);
}

TEST(Lifecycle, RemembersNothingOfWhatItNeverSaw) {  // S3.11
  EXPECT_EQ(transition({}, kAbsent, kBlock, at(5s)).next.lifecycle, Lifecycle::kNone);
}

TEST(Lifecycle, KeepsOnlyPendingWithoutABlock) {  // S0
  EXPECT_EQ(transition({}, new_here(true), {}, at(5s)).next.lifecycle, Lifecycle::kNone);
  EXPECT_EQ(transition({}, kUnusable, {}, at(5s)).next.lifecycle, Lifecycle::kNone);
  const NodeHistory waiting = transition({}, new_here(false), {}, at(5s)).next;
  EXPECT_EQ(waiting.lifecycle, Lifecycle::kPending);
  EXPECT_EQ(transition(waiting, kUnusable, {}, at(6s)).next, waiting);
  EXPECT_EQ(transition(waiting, kEligible, {}, at(6s)).next.lifecycle, Lifecycle::kNone);
  EXPECT_EQ(transition(waiting, kAbsent, {}, at(6s)).next.lifecycle, Lifecycle::kNone);
}

TEST(Lifecycle, NotesWhenItLastChanged) {  // S3.23
  EXPECT_EQ(transition({}, new_here(true), kBlock, at(5s)).next.last_transition, at(5s));
  EXPECT_EQ(transition(ramping_from(at(2s)), kEligible, kBlock, at(8s)).next.last_transition,
            TimePoint());
}

}  // namespace
}  // namespace rampart::engine
