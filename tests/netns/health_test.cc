// SPDX-License-Identifier: Apache-2.0
// Active checks through the daemon: a backend that stops answering gets no new connections, and comes
// back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "netns/stand.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

using nlohmann::json;

json checked(json config) {
  upstream(config)["checks"]["active"] = {
      {"type", "http"},
      {"healthy", {{"interval", 1}, {"successes", 1}}},
      {"unhealthy", {{"interval", 1}, {"tcp_failures", 1}, {"timeouts", 1}}}};
  return config;
}

TEST_F(NetnsTest, ABackendThatStopsAnsweringLeavesAndComesBack) {  // H1, H4, H5, H7
  Stand stand;
  stand.serve(checked(stand.config_of_first(2)), {"b1", "b2"});
  const auto health = [&](int number) {
    return stand.daemon.backends().at(stand.name(number)).at("health").get<std::string>();
  };
  ASSERT_TRUE(wait_until([&] { return health(1) == "up" && health(2) == "up"; }));
  stand.http[1].reset();
  ASSERT_TRUE(wait_until([&] { return health(2) == "down"; }));
  EXPECT_EQ(health(1), "up");
  const Tally without = ask_times(stand.bed.client(), stand.ask(), 10);
  EXPECT_EQ(without.of("b1"), 10u);
  stand.http[1] = std::make_unique<HttpServer>(
      stand.bed.backend(2), std::map<uint16_t, std::string>{{80, "b2"}, {8080, "b2"}});
  ASSERT_TRUE(wait_until([&] { return health(2) == "up"; }));
  EXPECT_TRUE(all_answer(stand.bed.client(), stand.ask(), {"b1", "b2"}));
}

// H2: a verdict stands over a restart, until the first check completes.
TEST_F(NetnsTest, AVerdictOutlivesTheDaemon) {
  Stand stand;
  stand.serve(checked(stand.config_of_first(2)), {"b1", "b2"});
  stand.http[1].reset();
  const auto health = [&] {
    return stand.daemon.backends().at(stand.name(2)).at("health").get<std::string>();
  };
  ASSERT_TRUE(wait_until([&] { return health() == "down"; }));
  stand.daemon.kill();
  stand.daemon.start();
  EXPECT_EQ(health(), "down");
  EXPECT_EQ(ask_times(stand.bed.client(), stand.ask(), 6).of("b1"), 6u);
}

}  // namespace
}  // namespace rampart::test
