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

TEST(ConfigDiff, NamesInterfacesAndSettingsOfTheWhole) {
  Config from = two_upstreams();
  from.interfaces = {{.name = "eth0", .mode = {}}, {.name = "eth1", .mode = {}}};
  Config to = from;
  to.interfaces = {{.name = "eth2", .mode = {}}, {.name = "eth1", .mode = AttachMode::kGeneric}};
  to.watch = Watch::kRename;
  to.reconcile_interval = std::chrono::seconds(5);
  EXPECT_THAT(describe_changes(from, to),
              ElementsAre("interface eth2 added", "interface eth1 mode changed",
                          "interface eth0 removed", "watch changed", "reconcile_interval changed"));
}

// B6: an order belongs to a scope and an identity.
TEST(ConfigDiff, NamesOrdersThatGoWithTheirScope) {
  engine::Snapshot snapshot;
  engine::NodeState drained;
  drained.condition.admin = engine::Admin::kDrain;
  drained.condition.admin_by = "ann";
  engine::NodeState weighed;
  weighed.condition.override_weight = 50;
  weighed.condition.override_by = "bob";
  snapshot.scopes["orders"].nodes = {{"a:1", drained}, {"b:1", weighed}, {"c:1", {}}};
  snapshot.scopes["stock"].nodes = {{"a:1", drained}};
  Config to = two_upstreams();
  to.upstreams[0].id = "sales";
  EXPECT_THAT(lost_orders(snapshot, to, Plane::kL4),
              ElementsAre("orders/a:1: drain, by ann, no longer holds: its scope is gone",
                          "orders/b:1: weight 50, by bob, no longer holds: its scope is gone"));
}

// B6: rampart-http has its own orders about what routes use.
TEST(ConfigDiff, NamesOrdersThatGoWithTheirPlane) {
  engine::Snapshot snapshot;
  snapshot.scopes["stock"].nodes["a:1"].condition.override_weight = 50;
  Config to = two_upstreams();
  EXPECT_THAT(lost_orders(snapshot, to, Plane::kL4), IsEmpty());
  to.routes.resize(1);
  to.routes[0].scope = "stock";
  EXPECT_EQ(lost_orders(snapshot, to, Plane::kL4).size(), 1u);
  EXPECT_THAT(lost_orders(snapshot, to, Plane::kL7), IsEmpty());
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
