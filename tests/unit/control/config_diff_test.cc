// SPDX-License-Identifier: Apache-2.0
#include "control/config_diff.h"

#include "unit/control/controller_fixture.h"

namespace rampart::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Config two_upstreams() {
  Config config = config_of({node("10.0.0.1")});
  config.upstreams.push_back(upstream("stock", {node("10.0.0.2")}));
  return config;
}

TEST(ConfigDiff, SaysNothingWhenNothingChanged) {
  EXPECT_THAT(describe_changes(two_upstreams(), two_upstreams()), IsEmpty());
}

// S1.7
TEST(ConfigDiff, SaysWhichScopeIsGoneAndWhichIsNewOnARename) {
  Config renamed = two_upstreams();
  renamed.upstreams[0].id = "sales";
  renamed.vips[0].scope = "sales";
  EXPECT_THAT(describe_changes(two_upstreams(), renamed),
              ElementsAre("upstream sales added", "upstream orders removed",
                          "vip web: scope orders -> sales: every node of it is a baseline"));
}

// S1.7, S1.4: the scope of an embedded upstream is the id of its VIP.
TEST(ConfigDiff, SaysSoOfAnEmbeddedUpstreamWhenItsVipIsRenamed) {
  Config config = config_of({node("10.0.0.1")});
  config.upstreams[0].id = config.vips[0].scope = "web";
  Config renamed = config;
  renamed.upstreams[0].id = renamed.vips[0].scope = renamed.vips[0].id = "shop";
  EXPECT_THAT(describe_changes(config, renamed),
              ElementsAre("upstream shop added", "upstream web removed", "vip web: renamed to shop",
                          "vip shop: scope web -> shop: every node of it is a baseline"));
}

// S1.7: only a scope that was not there is a baseline.
TEST(ConfigDiff, CallsNoScopeABaselineThatWasThereBefore) {
  Config moved = two_upstreams();
  moved.vips[0].scope = "stock";
  EXPECT_THAT(describe_changes(two_upstreams(), moved),
              ElementsAre("vip web: scope orders -> stock"));
}

TEST(ConfigDiff, NamesEachNodeThatChanged) {
  Config config = config_of({node("10.0.0.1"), node("10.0.0.2"), node("10.0.0.3")});
  Config changed = config_of({node("10.0.0.1", 50), node("10.0.0.3", 100, 1), node("10.0.0.4")});
  EXPECT_THAT(describe_changes(config, changed),
              ElementsAre("upstream orders: node 10.0.0.1:8080 weight 100 -> 50",
                          "upstream orders: node 10.0.0.3:8080 changed",
                          "upstream orders: node 10.0.0.4:8080 added, weight 100",
                          "upstream orders: node 10.0.0.2:8080 removed: it drains"));
}

// H3
TEST(ConfigDiff, SaysThatAnotherCheckStartsAfresh) {
  Config changed = two_upstreams();
  changed.upstreams[0].active_check = ActiveCheck();
  changed.upstreams[1].panic.fail_closed = true;
  EXPECT_THAT(describe_changes(two_upstreams(), changed),
              ElementsAre("upstream orders: checks.active changed: verdicts start afresh",
                          "upstream stock: panic changed"));
}

}  // namespace
}  // namespace rampart::control
