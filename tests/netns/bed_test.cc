// SPDX-License-Identifier: Apache-2.0
// The bed by itself, so that a failure of the other cases is the balancer's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "netns/stand.h"

namespace rampart::test {
namespace {

class BedTest : public NetnsTest, public ::testing::WithParamInterface<Shape> {};

TEST_P(BedTest, RoutesFromTheClientToEveryBackendAndBack) {
  StandOptions options;
  options.shape = GetParam();
  Stand stand(options);

  for (int number = 1; number <= 2; ++number) {
    const std::string address = Bed::backend_address(number);
    const auto http = [&] { return http_ask(address); };
    const auto udp = [&] { return udp_ask(address, 80); };
    EXPECT_EQ(ask_times(stand.bed.client(), http, 3).of(Bed::backend_name(number)), 3u);
    EXPECT_EQ(ask_times(stand.bed.client(), udp, 3).of(Bed::backend_name(number)), 3u);
    EXPECT_EQ(stand.http[static_cast<size_t>(number - 1)]->requests(), 3u);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BedTest, ::testing::Values(Shape::kOneArm, Shape::kTwoArms),
                         [](const auto& shape) {
                           return shape.param == Shape::kOneArm ? "OneArm" : "TwoArms";
                         });

TEST_F(NetnsTest, BedLeavesNothingBehind) {
  std::string name;
  {
    const Bed bed(BedOptions{});
    name = bed.name();
    EXPECT_TRUE(std::filesystem::exists(bed.client().path()));
    EXPECT_NE(xdp_program_on(bed.client(), "eth0"), 0u);
  }
  for (const auto& entry : std::filesystem::directory_iterator("/run/netns")) {
    EXPECT_THAT(entry.path().filename().string(), ::testing::Not(::testing::HasSubstr(name)));
  }
}

TEST_F(NetnsTest, KeptConnectionsOfTheBedStayOpen) {
  Stand stand;
  stand.bed.client().run([] {
    auto connection = HttpConnection::to(Bed::backend_address(1), 80);
    ASSERT_TRUE(connection);
    for (int i = 0; i < 3; ++i) {
      const auto answer = connection->request("GET", "/");
      ASSERT_TRUE(answer);
      EXPECT_EQ(answer->body, "b1");
    }
  });
}

}  // namespace
}  // namespace rampart::test
