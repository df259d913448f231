// SPDX-License-Identifier: Apache-2.0
#include "proxy/timer_wheel.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace rampart::proxy {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct Alarm final : Timer {
  void on_deadline() override {
    ++rung;
    if (then) then();
  }
  int rung = 0;
  std::function<void()> then;
};

class TimerWheelTest : public testing::Test {
 protected:
  // Turns tick by tick, as a worker does it, until `alarm` rings; returns when that was.
  TimePoint rings_at(const Alarm& alarm, TimePoint last) {
    const int before = alarm.rung;
    while (now_ < last && alarm.rung == before) wheel_.turn(now_ += kTick);
    return now_;
  }
  void turn_to(TimePoint end) {
    while (now_ < end) wheel_.turn(now_ += kTick);
  }

  TimePoint now_{hours(1) + milliseconds(13)};
  TimerWheel wheel_{now_};
  Alarm alarm_;
};

TEST_F(TimerWheelTest, MeetsADeadlineWithinATick) {
  for (const auto delay : {milliseconds(0), milliseconds(1), milliseconds(36), milliseconds(37),
                           milliseconds(49), milliseconds(50), milliseconds(51), milliseconds(75),
                           milliseconds(1000), milliseconds(1013), milliseconds(51000)}) {
    const TimePoint deadline = now_ + delay;
    alarm_.set(wheel_, deadline);
    const TimePoint at = rings_at(alarm_, now_ + hours(1));
    EXPECT_GE(at, deadline) << delay.count();
    EXPECT_LE(at, deadline + kTick) << delay.count();
  }
  EXPECT_EQ(alarm_.rung, 11);
}

TEST_F(TimerWheelTest, TellsOnce) {
  alarm_.set(wheel_, now_ + seconds(1));
  turn_to(now_ + hours(1));
  EXPECT_EQ(alarm_.rung, 1);
}

TEST_F(TimerWheelTest, MeetsADeadlineThatIsPastAtTheNextTurn) {
  alarm_.set(wheel_, now_ - seconds(5));
  EXPECT_LE(rings_at(alarm_, now_ + seconds(5)), now_ + kTick);
}

TEST_F(TimerWheelTest, FollowsADeadlineThatIsMovedOn) {
  const TimePoint start = now_;
  alarm_.set(wheel_, now_ + seconds(1));
  for (int i = 0; i < 100; ++i) {
    turn_to(now_ + milliseconds(900));
    alarm_.set(wheel_, now_ + seconds(1));
  }
  EXPECT_EQ(alarm_.rung, 0);
  const TimePoint deadline = now_ + seconds(1);
  EXPECT_LE(rings_at(alarm_, start + hours(1)), deadline + kTick);
}

TEST_F(TimerWheelTest, FollowsADeadlineThatIsMovedEarlier) {
  alarm_.set(wheel_, now_ + seconds(40));
  turn_to(now_ + seconds(1));
  const TimePoint deadline = now_ + seconds(2);
  alarm_.set(wheel_, deadline);
  const TimePoint at = rings_at(alarm_, now_ + hours(1));
  EXPECT_GE(at, deadline);
  EXPECT_LE(at, deadline + kTick);
  turn_to(now_ + seconds(60));
  EXPECT_EQ(alarm_.rung, 1);
}

TEST_F(TimerWheelTest, TellsNothingThatWasCleared) {
  alarm_.set(wheel_, now_ + seconds(1));
  alarm_.clear();
  turn_to(now_ + seconds(120));
  EXPECT_EQ(alarm_.rung, 0);
}

TEST_F(TimerWheelTest, TellsWhatWasSetAgainAfterItWasCleared) {
  alarm_.set(wheel_, now_ + seconds(3));
  alarm_.clear();
  const TimePoint deadline = now_ + seconds(1);
  alarm_.set(wheel_, deadline);
  EXPECT_LE(rings_at(alarm_, now_ + hours(1)), deadline + kTick);
}

TEST_F(TimerWheelTest, MeetsVeryLongDeadlines) {
  for (const auto delay : {seconds(51), seconds(52), seconds(103), seconds(3600)}) {
    const TimePoint deadline = now_ + delay;
    alarm_.set(wheel_, deadline);
    const TimePoint at = rings_at(alarm_, now_ + hours(3));
    EXPECT_GE(at, deadline);
    EXPECT_LE(at, deadline + kTick);
  }
}

TEST_F(TimerWheelTest, MeetsAllDeadlinesOfAPause) {
  std::vector<std::unique_ptr<Alarm>> alarms;
  for (int i = 0; i < 200; ++i) {
    alarms.push_back(std::make_unique<Alarm>());
    alarms.back()->set(wheel_, now_ + seconds(i));
  }
  wheel_.turn(now_ += seconds(100));
  int rung = 0;
  for (const auto& alarm : alarms) rung += alarm->rung;
  EXPECT_EQ(rung, 101);
  turn_to(now_ + seconds(100));
  for (const auto& alarm : alarms) EXPECT_EQ(alarm->rung, 1);
}

TEST_F(TimerWheelTest, TakesATimerThatIsDestroyedInItsOwnCall) {
  auto alarm = std::make_unique<Alarm>();
  bool told = false;
  alarm->then = [&] {
    told = true;
    alarm.reset();
  };
  alarm->set(wheel_, now_ + seconds(1));
  turn_to(now_ + seconds(2));
  EXPECT_TRUE(told);
  EXPECT_EQ(alarm, nullptr);
}

TEST_F(TimerWheelTest, TakesATimerThatDestroysAnotherOfTheSameSlot) {
  auto other = std::make_unique<Alarm>();
  alarm_.set(wheel_, now_ + seconds(1));
  other->set(wheel_, now_ + seconds(1));
  alarm_.then = [&] { other.reset(); };
  turn_to(now_ + seconds(2));
  EXPECT_EQ(alarm_.rung, 1);
}

TEST_F(TimerWheelTest, TakesATimerThatSetsItselfAnew) {
  alarm_.then = [&] { alarm_.set(wheel_, wheel_.now() + seconds(1)); };
  alarm_.set(wheel_, now_ + seconds(1));
  turn_to(now_ + milliseconds(10500));
  EXPECT_EQ(alarm_.rung, 10);
}

TEST_F(TimerWheelTest, TakesATimerThatIsDestroyedWhileItWaits) {
  std::make_unique<Alarm>()->set(wheel_, now_ + seconds(1));
  turn_to(now_ + seconds(2));
}

}  // namespace
}  // namespace rampart::proxy
