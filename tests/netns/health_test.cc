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

json ramping(json config) {
  upstream(config)["slow_start"] = {{"slow_start_time_seconds", 60}, {"min_weight_percent", 50}};
  return config;
}

void serve_on(Stand& stand, int number, const std::vector<uint16_t>& ports) {
  std::map<uint16_t, std::string> answers;
  for (const uint16_t port : ports) answers[port] = "b" + std::to_string(number);
  std::unique_ptr<HttpServer>& server = stand.http[static_cast<size_t>(number) - 1];
  server.reset();
  if (!ports.empty()) {
    server = std::make_unique<HttpServer>(stand.bed.backend(number), answers);
  }
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
  serve_on(stand, 2, {80, 8080});
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

// H2, S3.10, S3.4: its first pass is the begin of its ramp, whatever happened to the daemon meanwhile.
TEST_F(NetnsTest, APendingNodeStaysPendingOverARestart) {
  Stand stand;
  stand.serve(ramping(checked(stand.config_of_first(1))), {"b1"});
  serve_on(stand, 2, {});
  stand.daemon.write(ramping(checked(stand.config_of_first(2))));
  ASSERT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  const auto state = [&] { return stand.daemon.backends().at(stand.name(2)).at("state"); };
  ASSERT_EQ(state(), "pending");
  stand.daemon.kill();
  stand.daemon.start();
  EXPECT_EQ(state(), "pending");
  EXPECT_EQ(ask_times(stand.bed.client(), stand.ask(), 6).of("b1"), 6u);
  serve_on(stand, 2, {80, 8080});
  EXPECT_TRUE(wait_until([&] { return state() == "ramping"; }));
}

// H6, S3.18: what the checks alone cannot reach goes on serving, and returns as it was.
TEST_F(NetnsTest, AnOutageOfTheChecksAloneStartsNoRamp) {
  Stand stand;
  json config = ramping(checked(stand.config_of_first(2)));
  upstream(config)["checks"]["active"]["port"] = 80;
  stand.serve(config, {"b1", "b2"});
  const auto both = [&](const char* field, const char* value) {
    for (const auto& [name, node] : stand.daemon.backends()) {
      if (node.at(field) != value) return false;
    }
    return true;
  };
  ASSERT_TRUE(wait_until([&] { return both("health", "up"); }));
  for (const int number : {1, 2}) serve_on(stand, number, {8080});
  ASSERT_TRUE(wait_until([&] { return both("health", "down"); }));
  EXPECT_TRUE(all_answer(stand.bed.client(), stand.ask(), {"b1", "b2"})) << "panic";
  EXPECT_THAT(stand.daemon.cli({"status"}).out, testing::HasSubstr("upstream web: panic"));
  for (const int number : {1, 2}) serve_on(stand, number, {80, 8080});
  ASSERT_TRUE(wait_until([&] { return both("health", "up"); }));
  EXPECT_TRUE(both("state", "mature"));
  EXPECT_THAT(stand.daemon.cli({"status"}).out, testing::Not(testing::HasSubstr("panic")));
  EXPECT_THAT(stand.daemon.process().output(),
              testing::Not(testing::AnyOf(testing::HasSubstr("ramp began"),
                                          testing::HasSubstr("ramp restarted"))));
}

}  // namespace
}  // namespace rampart::test
