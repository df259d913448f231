// SPDX-License-Identifier: Apache-2.0
// C4: what a reload may not remove unasked.
#include "control/brake.h"

#include "unit/control/controller_fixture.h"

namespace rampart::control {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<NodeConfig> nodes(int from, int to) {
  std::vector<NodeConfig> made;
  for (int last = from; last <= to; ++last) made.push_back(node("10.0.0." + std::to_string(last)));
  return made;
}

Config with_vips(int from, int to) {
  Config config = config_of(nodes(1, 1));
  config.vips.clear();
  for (int last = from; last <= to; ++last) {
    const std::string number = std::to_string(last);
    config.vips.push_back(vip("web" + number, "orders", "203.0.113." + number));
  }
  return config;
}

TEST(Brake, HoldsAReloadThatRemovesMoreThanHalfOfTheVips) {
  EXPECT_THAT(held_back(with_vips(1, 4), with_vips(3, 4)), IsEmpty());
  EXPECT_THAT(held_back(with_vips(1, 4), with_vips(4, 4)),
              ElementsAre(HasSubstr("vips: it would remove 3 of the 4 VIPs in force")));
  EXPECT_THAT(held_back(with_vips(1, 1), with_vips(2, 2)), ElementsAre(HasSubstr("1 of the 1")));
  EXPECT_THAT(held_back(with_vips(1, 0), with_vips(1, 4)), IsEmpty());
}

TEST(Brake, HoldsAReloadThatRemovesMoreThanHalfOfFourOrMoreNodes) {
  EXPECT_THAT(held_back(config_of(nodes(1, 4)), config_of(nodes(3, 6))), IsEmpty());
  EXPECT_THAT(held_back(config_of(nodes(1, 4)), config_of(nodes(4, 9))),
              ElementsAre(HasSubstr("upstream orders: it would remove 3 of the 4 nodes in force")));
  EXPECT_THAT(held_back(config_of(nodes(1, 3)), config_of(nodes(7, 9))), IsEmpty());
}

Config with_routes(int from, int to) {
  Config config = config_of(nodes(1, 4));
  for (int last = from; last <= to; ++last) {
    RouteConfig route;
    route.id = "r" + std::to_string(last);
    route.uri = "/" + std::to_string(last);
    route.scope = "orders";
    config.routes.push_back(route);
  }
  return config;
}

TEST(Brake, HoldsAReloadThatRemovesMoreThanHalfOfFourOrMoreRoutes) {
  EXPECT_THAT(held_back(with_routes(1, 4), with_routes(3, 4)), IsEmpty());
  EXPECT_THAT(held_back(with_routes(1, 4), with_routes(4, 9)),
              ElementsAre(HasSubstr("routes: it would remove 3 of the 4 routes in force")));
  EXPECT_THAT(held_back(with_routes(1, 3), with_routes(4, 4)), IsEmpty());
  Config renamed = with_routes(1, 4);
  Config moved = renamed;
  for (RouteConfig& route : renamed.routes) route.id += "-b";
  for (RouteConfig& route : moved.routes) route.uri += "b";
  EXPECT_THAT(held_back(with_routes(1, 4), renamed), IsEmpty());
  EXPECT_THAT(held_back(with_routes(1, 4), moved), IsEmpty());
}

// S1.7
TEST(Brake, SeesThroughNewNamesOfWhatRoutesUse) {
  Config config = with_routes(1, 2);
  config.vips.clear();
  Config renamed = config;
  renamed.upstreams[0].id = renamed.routes[0].scope = renamed.routes[1].scope = "sales";
  renamed.routes[0].id = "r9";
  EXPECT_THAT(held_back(config, renamed), IsEmpty());
  renamed.upstreams[0].nodes = nodes(4, 4);
  EXPECT_THAT(held_back(config, renamed),
              ElementsAre(HasSubstr("upstream sales: it would remove 3 of the 4")));
}

// B1, S1.7: names are labels.
TEST(Brake, SeesThroughNewNames) {
  Config renamed = config_of(nodes(1, 4));
  renamed.upstreams[0].id = renamed.vips[0].scope = "sales";
  renamed.vips[0].id = "shop";
  EXPECT_THAT(held_back(config_of(nodes(1, 4)), renamed), IsEmpty());
  renamed.upstreams[0].nodes = nodes(4, 4);
  EXPECT_THAT(held_back(config_of(nodes(1, 4)), renamed),
              ElementsAre(HasSubstr("upstream sales: it would remove 3 of the 4")));
}

TEST(Brake, LetsAnUpstreamGoThatNothingUses) {
  Config config = config_of(nodes(1, 1));
  config.upstreams.push_back(upstream("stock", nodes(1, 9)));
  EXPECT_THAT(held_back(config, config_of(nodes(1, 1))), IsEmpty());
}

class TheSecondSignal : public testing::Test {
 protected:
  SecondSignal signals;
  const std::vector<std::string> vips{"vips"}, more{"vips", "upstream orders"};
};

TEST_F(TheSecondSignal, InsistsWithinTenSeconds) {
  EXPECT_FALSE(signals.insists(vips, at(100)));
  EXPECT_TRUE(signals.insists(vips, at(110)));
  EXPECT_FALSE(signals.insists(vips, at(111))) << "each time takes two";
}

TEST_F(TheSecondSignal, ComesTooLateAfterTenSeconds) {
  EXPECT_FALSE(signals.insists(vips, at(100)));
  EXPECT_FALSE(signals.insists(vips, at(110) + std::chrono::nanoseconds(1)));
  EXPECT_TRUE(signals.insists(vips, at(115)));
}

TEST_F(TheSecondSignal, DoesNotInsistOnWhatTheFirstDidNotMean) {
  EXPECT_FALSE(signals.insists(vips, at(100)));
  EXPECT_FALSE(signals.insists(more, at(101)));
  signals.forget();
  EXPECT_FALSE(signals.insists(more, at(102)));
}

}  // namespace
}  // namespace rampart::control
