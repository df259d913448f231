// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/engine/one_scope.h"

namespace rampart::engine {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class Notes : public Recorder {
 public:
  void decided(const Decision& decision) override {
    lines.push_back(decision.identity + " " + decision.sentence);
  }
  std::vector<std::string> take() { return std::exchange(lines, {}); }
  std::vector<std::string> lines;
};

TEST(Explain, RecordsOneSentenceForEachDecisionThatChangedSomething) {
  Notes notes;
  OneScope pool(window_of(10s));
  pool.engine().record_to(&notes);
  pool.list({{"a", 100}}, at(0s));
  EXPECT_THAT(notes.take(),
              ElementsAre("a mature, weight 100 of 100: full weight: it was there when the scope "
                          "started"));
  pool.list({{"a", 100}, {"b", 50}}, at(1s));
  EXPECT_THAT(notes.take(),
              ElementsAre("b ramping, weight 5 of 50: 0 s of 10 s have passed since the ramp "
                          "began: it joined a running scope"));
  pool.node("a", at(1s) + 1ms);
  EXPECT_THAT(notes.take(), IsEmpty());
  pool.list({{"a", 100}}, at(4s));
  EXPECT_THAT(notes.take(), ElementsAre("b gone: it is not listed any more"));
}

TEST(Explain, ShowsHundredthsOfAWeight) {
  Notes notes;
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.engine().record_to(&notes);
  pool.list({{"a", 100}, {"b", 1}}, at(1s));
  EXPECT_THAT(notes.take(), ElementsAre("b ramping, weight 0.09 of 1: 0 s of 10 s have passed "
                                        "since the ramp began: it joined a running scope"));
}

TEST(Explain, SaysThatANewcomerWaitsForItsFirstPass) {  // H2
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}}, at(0s));
  pool.edit(at(1s), [](Scope& scope) {
    scope.check = 1;
    scope.nodes.push_back({"b", 100});
  });
  EXPECT_EQ(pool.reason("b", at(1s)), sentence(Cause::kNeverEligible));
}

TEST(Explain, NamesWhoIsTheReason) {  // W1
  OneScope pool(window_of(10s));
  pool.list({{"a", 100}, {"b", 100}}, at(0s));
  pool.set_admin("a", Admin::kDrain, at(1s));
  EXPECT_EQ(pool.reason("a", at(1s)), "it is draining: no new flows");
  pool.set_admin("a", Admin::kMaintenance, at(1s));
  EXPECT_EQ(pool.reason("a", at(1s)), "it is in maintenance: no new flows");
  pool.set_admin("a", Admin::kNone, at(1s));
  pool.engine().set_override("pool", "a", 0, at(2s));
  EXPECT_EQ(pool.reason("a", at(2s)), "an operator set its weight to 0: no new flows");
  pool.engine().set_override("pool", "a", 7, at(2s));
  EXPECT_EQ(pool.reason("a", at(2s)),
            "full weight: it was there when the scope started; an operator set its target weight "
            "to 7");
  pool.down("a", at(3s));
  EXPECT_EQ(pool.reason("a", at(3s)), "its checks say that it is down: no new flows");
  pool.down("b", at(4s));
  EXPECT_EQ(pool.reason("b", at(4s)),
            "panic, so that health is ignored: full weight: it was there when the scope started");
}

}  // namespace
}  // namespace rampart::engine
