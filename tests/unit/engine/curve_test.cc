// SPDX-License-Identifier: Apache-2.0
#include "engine/curve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/engine/one_scope.h"

namespace rampart::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using namespace std::chrono_literals;

uint32_t shown(uint32_t target, const SlowStart& block, Duration elapsed) {
  return shown_weight(ramped_weight(target, block, elapsed));
}

struct CurveRow {
  int window;
  int floor;
  double aggression;
  uint32_t weight;
  milliseconds elapsed;
  uint32_t shown;
};

// The table of S2.
constexpr CurveRow kTable[] = {
    {300, 1, 1, 100, 0ms, 1},          {300, 1, 1, 100, 5000ms, 1},
    {300, 1, 1, 100, 6000ms, 2},       {300, 1, 1, 100, 30000ms, 10},
    {300, 1, 1, 100, 150000ms, 50},    {300, 1, 1, 100, 290000ms, 96},
    {300, 1, 1, 100, 299000ms, 99},    {300, 1, 1, 100, 299999ms, 99},
    {300, 1, 1, 100, 300000ms, 100},   {10, 1, 1, 100, 0ms, 10},
    {60, 10, 1, 100, 0ms, 10},         {60, 10, 1, 100, 6000ms, 10},
    {60, 10, 1, 100, 10000ms, 16},     {60, 10, 1, 100, 30000ms, 50},
    {60, 10, 1, 100, 59000ms, 98},     {60, 10, 1, 100, 60000ms, 100},
    {100, 1, 0.5, 1000, 25000ms, 62},  {100, 1, 0.5, 1000, 50000ms, 250},
    {100, 1, 0.5, 1000, 75000ms, 562}, {100, 1, 0.5, 1000, 90000ms, 810},
    {100, 1, 2, 1000, 25000ms, 500},   {100, 1, 2, 1000, 50000ms, 707},
    {100, 1, 2, 1000, 75000ms, 866},   {100, 1, 2, 1000, 90000ms, 948},
    {100, 1, 5, 1000, 25000ms, 757},   {100, 1, 5, 1000, 50000ms, 870},
    {1, 1, 1, 100, 0ms, 100},          {1, 50, 0.5, 7, 0ms, 7},
};

class CurveTable : public testing::TestWithParam<CurveRow> {};

TEST_P(CurveTable, ShowsTheWeightOfTheTable) {  // S2
  const CurveRow& row = GetParam();
  const SlowStart block = window_of(seconds(row.window), row.floor, row.aggression);
  EXPECT_EQ(shown(row.weight, block, row.elapsed), row.shown)
      << "window " << row.window << " floor " << row.floor << " aggression " << row.aggression
      << " after " << row.elapsed.count() << " ms";
}
INSTANTIATE_TEST_SUITE_P(S2, CurveTable, testing::ValuesIn(kTable));

TEST(Curve, FloorsTheExactProduct) {  // S2.1
  const SlowStart block = window_of(100s);
  EXPECT_EQ(shown(100, block, 29s), 29u);
  EXPECT_EQ(shown(100, block, 57s), 57u);
  EXPECT_EQ(shown(100, block, 58s), 58u);
  // What a floor of doubles would show.
  EXPECT_EQ(std::floor(100 * 0.29), 28);
}

TEST(Curve, FloorsTheExactShareOfTheFloorToo) {  // S2.1
  const SlowStart block = window_of(604800s, 29);
  EXPECT_EQ(shown(100, block, 0s), 29u);
}

TEST(Curve, CountsABentValueJustBelowAnIntegerAsThatInteger) {  // S2.1
  // (k/100)^2 * 10000 = k^2, of which doubles miss some by a bit.
  const SlowStart block = window_of(100s, 1, 0.5);
  for (uint32_t k = 10; k < 100; ++k) EXPECT_EQ(shown(10000, block, seconds(k)), k * k) << k;
}

TEST(Curve, TakesFractionsOfASecond) {  // S2.2
  EXPECT_EQ(shown(100, window_of(300s), 29999ms), 9u);
  EXPECT_EQ(shown(100, window_of(300s), 30s - 1ns), 9u);
  EXPECT_EQ(shown(100, window_of(300s), 30s), 10u);
  EXPECT_EQ(shown(100, window_of(10s), 2500ms), 25u) << "in whole seconds it is 20";
}

TEST(Curve, IsTheConfiguredWeightExactlyAtTheWindow) {  // S2.3
  for (const double aggression : {0.01, 0.5, 1.0, 2.0, 100.0}) {
    const SlowStart block = window_of(300s, 1, aggression);
    EXPECT_LE(ramped_weight(65535, block, 300s - 1ns), Weight::whole(65535));
    EXPECT_EQ(ramped_weight(65535, block, 300s), Weight::whole(65535));
    EXPECT_EQ(ramped_weight(65535, block, 900s), Weight::whole(65535));
  }
}

TEST(Curve, RoundsDownToFixedPoint) {  // S2.4
  // 100/300 of 1 is 21845.33 of 65536.
  EXPECT_EQ(ramped_weight(1, window_of(300s), 100s).raw(), 21845u);
  EXPECT_EQ(ramped_weight(1, window_of(100s, 1, 2), 50s).raw(), 46340u);  // 65536 * sqrt(1/2)
}

TEST(Curve, LetsAWeightOfOneRamp) {  // S2.4
  const SlowStart block = window_of(300s);
  EXPECT_LT(ramped_weight(1, block, 30s), ramped_weight(1, block, 31s));
  EXPECT_EQ(shown(1, block, 0s), 1u);
}

TEST(Curve, IsNeverNothingForAWeightAboveZero) {  // S2.4
  // (1/604800)^100 underflows; the floor of one percent does not.
  EXPECT_EQ(ramped_weight(1, window_of(604800s, 1, 0.01), 0s).raw(), 655u);
  EXPECT_EQ(shown_weight(Weight::fixed(1)), 1u);
  EXPECT_EQ(shown_weight(Weight()), 0u);
}

TEST(Curve, KeepsAWeightOfZeroAtZero) {  // W2
  EXPECT_EQ(ramped_weight(0, window_of(300s), 0s), Weight());
  EXPECT_EQ(ramped_weight(0, window_of(300s), 300s), Weight());
}

TEST(Curve, YieldsTheFloorWhenTheClockMovedBack) {  // S2.5
  EXPECT_EQ(ramped_weight(100, window_of(300s, 20), -1000s), Weight::whole(20));
  EXPECT_EQ(ramped_weight(100, window_of(300s, 20, 3), Duration::min()),
            ramped_weight(100, window_of(300s, 20, 3), 0s));
}

}  // namespace
}  // namespace rampart::engine
