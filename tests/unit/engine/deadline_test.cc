// SPDX-License-Identifier: Apache-2.0
// When the engine next has something to do, over several scopes and at the edge of a ramp.
#include <gtest/gtest.h>

#include "unit/engine/one_scope.h"

namespace rampart::engine {
namespace {

using namespace std::chrono_literals;

SlowStart every(std::chrono::seconds interval) {
  SlowStart block = window_of(100s);
  block.interval = interval;
  return block;
}

TEST(Deadline, IsTheEarliestOfAllScopes) {  // S3.23
  // The earliest is neither first nor last, and the last scope has none.
  const Desired before = {{"a", {{"n"}}, every(20s)},
                          {"b", {{"n"}}, every(5s)},
                          {"c", {{"n"}}, every(10s)},
                          {"d", {{"n"}}, std::nullopt}};
  Desired after = before;
  for (Scope& scope : after) scope.nodes.push_back({"newcomer"});
  Engine engine({});
  engine.set_desired(before, at(0s));
  engine.set_desired(after, at(0s));
  engine.step(at(1s));
  EXPECT_EQ(engine.next_deadline(), at(5s));
}

TEST(Deadline, OfANodeThatIsDownIsItsRampsEndAndThenNone) {  // S3.8 S3.23
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.down("b", at(9s));
  EXPECT_EQ(pool.node("b", at(9s)).ramp_left, 1s);
  EXPECT_EQ(pool.engine().next_deadline(), at(10s));
  EXPECT_EQ(pool.node("b", at(10s)).ramp_left, 0s);
  EXPECT_EQ(pool.engine().next_deadline(), std::nullopt);
  EXPECT_EQ(pool.node("b", at(11s)).ramp_left, 0s);
}

TEST(RampLeft, IsTheWholeWindowWhenARampBegins) {  // S3.3
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.list({{"a", 100}, {"b", 100}}, at(3s));
  EXPECT_EQ(pool.node("b", at(3s)).ramp_left, 10s);
}

TEST(Reason, TellsHowFarARampIsForAWeightOfOneToo) {  // S2.4
  OneScope pool(window_of(10s));
  pool.list({{"a", 1}}, at(0s));
  pool.list({{"a", 1}, {"b", 1}, {"c", 0}}, at(0s));
  EXPECT_EQ(pool.reason("b", at(4s)),
            "4 s of 10 s have passed since the ramp began: it joined a running scope");
  EXPECT_EQ(pool.reason("c", at(4s)), "its configured weight is 0: no new flows");
}

}  // namespace
}  // namespace rampart::engine
