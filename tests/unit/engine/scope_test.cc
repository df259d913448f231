// SPDX-License-Identifier: Apache-2.0
#include "engine/scope.h"

#include <gtest/gtest.h>

#include <limits>

#include "unit/engine/one_scope.h"

namespace rampart::engine {
namespace {

using namespace std::chrono_literals;

TEST(SlowStartBlock, TakesTheLimitsOfEachField) {  // S1
  EXPECT_TRUE(is_valid(window_of(1s)));
  EXPECT_TRUE(is_valid(window_of(604800s, 100, 0.01)));
  EXPECT_TRUE(is_valid(window_of(604800s, 1, 100)));
  SlowStart block = window_of(5s);
  block.interval = 5s;
  EXPECT_TRUE(is_valid(block));
}

TEST(SlowStartBlock, RefusesWhatIsBeyondThem) {  // S1
  for (const auto window : {-1s, 0s, 604801s}) EXPECT_FALSE(is_valid(window_of(window)));
  for (const int floor : {-1, 0, 101}) EXPECT_FALSE(is_valid(window_of(5s, floor)));
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double aggression : {0.0, -1.0, 0.009, 100.1, 1e308, infinity, -infinity, nan}) {
    EXPECT_FALSE(is_valid(window_of(5s, 1, aggression))) << aggression;
  }
  SlowStart block = window_of(5s);
  for (const auto interval : {-1s, 0s, 6s}) {
    block.interval = interval;
    EXPECT_FALSE(is_valid(block));
  }
  block = window_of(5s);
  block.startup_grace = -1s;
  EXPECT_FALSE(is_valid(block));
}

TEST(SlowStartBlock, NeverTakesAnUpstreamOutOfServiceWhenItIsBad) {  // S1.6
  OneScope pool(window_of(0s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 50}}, at(10s));
  EXPECT_EQ(pool.shown("b", at(10s)), 50u);
  EXPECT_EQ(pool.lifecycle("b", at(10s)), Lifecycle::kNone);
  EXPECT_NE(pool.reason("b", at(10s)).find("not valid"), std::string::npos);
}

}  // namespace
}  // namespace rampart::engine
