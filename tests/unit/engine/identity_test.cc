// SPDX-License-Identifier: Apache-2.0
// What makes two sightings the same node, as the engine sees it: an identity is all that it goes by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "unit/engine/one_scope.h"

namespace rampart::engine {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// What a source hands over for a Pod: its uid and port, and where it answers.
Node pod(const Identity& uid_and_port, const std::string& address) {
  return {.identity = uid_and_port,
          .weight = 100,
          .priority = 0,
          .addresses = {address},
          .discovered = true};
}

class Pods : public testing::Test {
 protected:
  Pods() {
    list({pod("uid-a:80", "10.0.0.1:80")}, at(0s));
    list({pod("uid-a:80", "10.0.0.1:80"), pod("uid-b:80", "10.0.0.2:80")}, at(10s));
  }
  void list(std::vector<Node> nodes, TimePoint now) {
    pool.edit(now, [&](Scope& scope) { scope.nodes = std::move(nodes); });
  }
  OneScope pool{window_of(100s)};
};

TEST_F(Pods, ThatMoveToAnotherAddressKeepTheirRamp) {  // S4.3 S4.2
  list({pod("uid-a:80", "10.0.0.1:80"), pod("uid-b:80", "10.0.0.9:80")}, at(30s));
  EXPECT_EQ(pool.node("uid-b:80", at(60s)).ramp_start, at(10s));
  EXPECT_THAT(pool.node("uid-b:80", at(60s)).addresses, ElementsAre("10.0.0.9:80"))
      << "used at once";
}

TEST_F(Pods, ThatTakeOverAnAddressStartTheirOwnRamp) {  // S4.3
  list({pod("uid-a:80", "10.0.0.1:80"), pod("uid-c:80", "10.0.0.2:80")}, at(60s));
  EXPECT_EQ(pool.node("uid-c:80", at(60s)).ramp_start, at(60s));
  list({pod("uid-a:80", "10.0.0.1:80"), pod("uid-b:80", "10.0.0.3:80")}, at(80s));
  EXPECT_EQ(pool.node("uid-b:80", at(80s)).ramp_start, at(10s)) << "it left a tombstone";
}

TEST_F(Pods, ThatSwapAddressesInOneUpdateBothKeepTheirRamps) {  // S4.3
  list({pod("uid-a:80", "10.0.0.2:80"), pod("uid-b:80", "10.0.0.1:80")}, at(30s));
  EXPECT_EQ(pool.lifecycle("uid-a:80", at(30s)), Lifecycle::kMature);
  EXPECT_EQ(pool.node("uid-b:80", at(30s)).ramp_start, at(10s));
  EXPECT_THAT(pool.node("uid-a:80", at(30s)).addresses, ElementsAre("10.0.0.2:80"));
}

TEST_F(Pods, WithSeveralAddressesHaveOneLifecycle) {  // S4.5
  Node dual = pod("uid-b:80", "10.0.0.2:80");
  dual.addresses.push_back("[2001:db8::2]:80");
  list({pod("uid-a:80", "10.0.0.1:80"), dual}, at(30s));
  EXPECT_EQ(pool.node("uid-b:80", at(60s)).shown, 50u);
  EXPECT_THAT(pool.events(), ElementsAre("began uid-b:80"));
}

// A node has an identity, a weight, a priority and addresses, and nothing else could say when it
// started or who it is: no metadata, no timestamps.
TEST(Identities, AreAllThatDecides) {  // S4.4 S4.2 S3.22
  OneScope pool(window_of(100s));
  pool.list({{"10.0.0.1:80", 100}}, at(1000s));
  pool.list({{"10.0.0.1:80", 100}, {"10.0.0.1:81", 100}}, at(2000s));
  EXPECT_EQ(pool.lifecycle("10.0.0.1:80", at(2000s)), Lifecycle::kMature);
  EXPECT_EQ(pool.node("10.0.0.1:81", at(2000s)).ramp_start, at(2000s)) << "when it was seen";
  const auto& [identity, weight, priority, addresses, discovered] = Node{};
  static_assert(!std::is_same_v<std::decay_t<decltype(weight)>, TimePoint>);
  EXPECT_TRUE(identity.empty() && addresses.empty() && priority == 0 && !discovered);
}

}  // namespace
}  // namespace rampart::engine
