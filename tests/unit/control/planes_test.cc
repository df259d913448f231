// SPDX-License-Identifier: Apache-2.0
#include "control/planes.h"

#include "control/check_ports.h"
#include "unit/control/controller_fixture.h"

namespace rampart::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

RouteConfig route_to(const ScopeId& scope, std::vector<SplitConfig> split = {}) {
  RouteConfig route;
  route.id = "r";
  route.uri = "/";
  route.scope = scope;
  route.split = std::move(split);
  return route;
}

// A VIP leads to "vip" and "both", routes to "both", "route", "side" and "r#1", nothing to "none".
Config both_planes() {
  Config config;
  for (const char* id : {"vip", "both", "route", "side", "r#1", "none"}) {
    config.upstreams.push_back(upstream(id, {node("10.0.0.1")}));
  }
  config.vips = {vip("a", "vip", "203.0.113.1"), vip("b", "both", "203.0.113.2")};
  config.routes = {route_to("both"), route_to("route"),
                   route_to("", {{.scope = "side", .weight = 0}, {.scope = "r#1", .weight = 1}})};
  return config;
}

std::vector<ScopeId> ids(const engine::Desired& scopes) {
  std::vector<ScopeId> list;
  for (const engine::Scope& scope : scopes) list.push_back(scope.id);
  return list;
}

TEST(Planes, KnowWhatVipsAndWhatRoutesLeadTo) {
  EXPECT_THAT(scopes_of_vips(both_planes()), UnorderedElementsAre("vip", "both"));
  EXPECT_THAT(scopes_of_routes(both_planes()),
              UnorderedElementsAre("both", "route", "side", "r#1"));
  EXPECT_THAT(scopes_of_routes(Config()), IsEmpty());
}

// S1.4: each plane has the scopes that it uses, in the order of the file.
TEST(Planes, LeaveOutWhatOnlyTheOtherUses) {
  EXPECT_THAT(ids(scopes_of(both_planes())), ElementsAre("vip", "both", "none"));
  EXPECT_THAT(ids(scopes_of(both_planes(), Plane::kL7)),
              ElementsAre("both", "route", "side", "r#1"));
}

// H7
TEST(Planes, GiveNodesWithoutAPortThatOfTheVipOrTheScheme) {
  Config config = both_planes();
  config.upstreams[1].http.https = true;
  EXPECT_THAT(ports_of_users(config, Plane::kL4),
              UnorderedElementsAre(Pair("vip", ElementsAre(80)), Pair("both", ElementsAre(80)),
                                   Pair("none", IsEmpty())));
  EXPECT_THAT(ports_of_users(config, Plane::kL7),
              UnorderedElementsAre(Pair("both", ElementsAre(443)), Pair("route", ElementsAre(80)),
                                   Pair("side", ElementsAre(80)), Pair("r#1", ElementsAre(80))));
}

class TwoPlanes : public ControllerTest {};

// The packet path has no IPv6 yet.
TEST_F(TwoPlanes, TheKernelHearsNothingOfWhatOnlyRoutesUse) {
  Config config = config_of({node("10.0.0.1")});
  config.upstreams.push_back(upstream("own", {node("2001:db8::1")}));
  config.routes = {route_to("own")};
  accept(config);
  converge(1000);
  EXPECT_FALSE(controller_->snapshot().scopes.contains("own"));
  EXPECT_EQ(controller_->observed().backends.size(), 1u);
  EXPECT_THAT(slots_by_address(), ElementsAre(Pair("10.0.0.1", kTableSize)));
}

// Nor does it mind nodes that nothing uses.
TEST_F(TwoPlanes, AnUnusedUpstreamMayHaveIpv6Nodes) {
  Config config = config_of({node("10.0.0.1")});
  config.upstreams.push_back(upstream("stock", {node("2001:db8::1")}));
  accept(config);
  converge(1000);
  EXPECT_TRUE(controller_->snapshot().scopes.contains("stock"));
  EXPECT_EQ(controller_->observed().backends.size(), 1u);
}

// S3.21: and it has no scope for what an earlier process had, if only routes use that now.
TEST_F(TwoPlanes, AnUpstreamMayGoFromAVipToARouteOverARestart) {
  Config config = config_of({node("10.0.0.1")});
  config.upstreams.push_back(upstream("stock", {node("10.0.0.2")}));
  accept(config);
  converge(1000);
  config.vips[0].scope = "stock";
  config.routes = {route_to("orders")};
  restart();
  accept(config);
  converge(1001);
  EXPECT_FALSE(controller_->snapshot().scopes.contains("orders"));
  EXPECT_THAT(slots_by_address(), ElementsAre(Pair("10.0.0.2", kTableSize)));
}

}  // namespace
}  // namespace rampart::control
