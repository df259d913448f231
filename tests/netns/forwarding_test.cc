// SPDX-License-Identifier: Apache-2.0
// Every way of forwarding, over every protocol, shape and attach mode; and who gets how much.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <tuple>

#include "netns/stand.h"

namespace rampart::test {
namespace {

using Way = std::tuple<const char*, const char*, Shape, Mode>;  // forward, protocol, shape, mode

class ForwardingTest : public NetnsTest, public ::testing::WithParamInterface<Way> {};

std::string name_of(const ::testing::TestParamInfo<Way>& way) {
  const auto& [forward, protocol, shape, mode] = way.param;
  return std::string(forward) + "_" + protocol +
         (shape == Shape::kOneArm ? "_OneArm" : "_TwoArms") +
         (mode == Mode::kNative ? "_Native" : "_Generic");
}

StandOptions options_for(const Way& way) {
  StandOptions options;
  options.forward = std::get<0>(way);
  options.protocol = std::get<1>(way);
  options.shape = std::get<2>(way);
  options.mode = std::get<3>(way);
  return options;
}

// X1, X11
TEST_P(ForwardingTest, ReachesEveryBackendAndAnswersComeBack) {
  Stand stand(options_for(GetParam()));
  stand.serve(stand.config_of_first(2), {"b1", "b2"});

  const Tally tally = ask_times(stand.bed.client(), stand.ask(), 40);
  EXPECT_EQ(tally.failed, 0u);
  EXPECT_EQ(tally.of("b1") + tally.of("b2"), 40u);
}

INSTANTIATE_TEST_SUITE_P(Ways, ForwardingTest,
                         ::testing::Combine(::testing::Values("l2", "nat"),
                                            ::testing::Values("tcp", "udp"),
                                            ::testing::Values(Shape::kOneArm, Shape::kTwoArms),
                                            ::testing::Values(Mode::kNative, Mode::kGeneric)),
                         name_of);

// The calling thread stays on one CPU, so its new flows are one walk over the slot table.
void stay_on_one_cpu() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof(one), &one);
}

// W2, W5
TEST_F(NetnsTest, WeightsAreHonoured) {
  StandOptions options;
  options.backends = 3;
  Stand stand(options);
  auto config = stand.config({stand.node(1, 100), stand.node(2, 300), stand.node(3, 0)});
  vip(config)["table_size"] = 251;
  stand.serve(config, {"b1", "b2"});

  constexpr int kTwoWalks = 2 * 251;
  bool on_one_cpu = false;
  const Ask ask = [&, web = stand.ask()] {
    if (!on_one_cpu) stay_on_one_cpu();
    on_one_cpu = true;
    return web();
  };
  const Tally tally = ask_times(stand.bed.client(), ask, kTwoWalks);
  EXPECT_EQ(tally.failed, 0u);
  EXPECT_EQ(tally.of("b3"), 0u);
  EXPECT_NEAR(tally.share("b1"), 25.0, 2.0);
  EXPECT_NEAR(tally.share("b2"), 75.0, 2.0);
}

// P8: the same client address reaches the same backend, whatever its port.
TEST_F(NetnsTest, ChashOnTheSourceAddressKeepsAClientWithOneBackend) {
  Stand stand;
  auto config = stand.config_of_first(2);
  upstream(config)["type"] = "chash";
  vip(config)["hash_on"] = "source_ip";
  stand.serve(config, {});
  ASSERT_TRUE(
      wait_until([&] { return ask_times(stand.bed.client(), stand.ask(), 1).failed == 0; }));

  const Tally tally = ask_times(stand.bed.client(), stand.ask(), 50);
  EXPECT_EQ(tally.failed, 0u);
  EXPECT_EQ(tally.answers.size(), 1u);
}

// F10, X8, X9: what is not for a VIP passes, to the balancer's kernel and through it.
TEST_F(NetnsTest, OtherTrafficPasses) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});

  const HttpServer own(stand.bed.balancer(), {{80, "balancer"}});
  const auto balancer = [] { return http_ask("10.1.0.254"); };
  const auto past_the_vip = [] { return http_ask(Bed::backend_address(1)); };
  EXPECT_EQ(ask_times(stand.bed.client(), balancer, 5).of("balancer"), 5u);
  EXPECT_EQ(ask_times(stand.bed.client(), past_the_vip, 5).of("b1"), 5u);
}

}  // namespace
}  // namespace rampart::test
