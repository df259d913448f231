// SPDX-License-Identifier: Apache-2.0
// Reload under traffic: what changes, what stays, and what a broken file does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "netns/stand.h"

namespace rampart::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// C4
TEST_F(NetnsTest, ReloadsUnderTrafficWithoutAFailedRequest) {
  StandOptions options;
  options.backends = 3;
  Stand stand(options);
  stand.serve(stand.config_of_first(2), {"b1", "b2"});

  Traffic traffic(stand.bed.client(), stand.ask());
  for (int round = 0; round < 10; ++round) {
    stand.daemon.write(stand.config_of_first(round % 2 == 0 ? 3 : 2));
    EXPECT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
    EXPECT_TRUE(traffic.wait_for(100));
  }
  const Tally tally = traffic.stop();
  EXPECT_EQ(tally.failed, 0u);
  EXPECT_GT(tally.of("b3"), 0u);
}

// C4
TEST_F(NetnsTest, SighupReloads) {
  Stand stand;
  stand.serve(stand.config_of_first(1), {"b1"});
  stand.daemon.write(stand.config_of_first(2));
  stand.daemon.process().signal(SIGHUP);
  EXPECT_TRUE(all_answer(stand.bed.client(), stand.ask(), {"b1", "b2"}));
}

// C3
TEST_F(NetnsTest, ABrokenFileKeepsTheLastGoodConfigurationServing) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});

  Traffic traffic(stand.bed.client(), stand.ask());
  auto broken = stand.config_of_first(1);
  vip(broken)["protocol"] = "sctp";
  stand.daemon.write(broken);
  const Finished reload = stand.daemon.cli({"reload"});
  EXPECT_EQ(reload.exit_code, 3);
  EXPECT_THAT(reload.out + reload.err, HasSubstr("vips[0].protocol"));
  const auto reading = stand.daemon.get("/v1/status").at("last_reload");
  EXPECT_EQ(reading.at("successful"), false);
  EXPECT_EQ(reading.at("refused"), 1);
  EXPECT_THAT(reading.at("problems").dump(), HasSubstr("vips[0].protocol"));
  EXPECT_THAT(stand.daemon.cli({"status"}).out, HasSubstr("vips[0].protocol"));
  EXPECT_THAT(stand.daemon.process().output(), HasSubstr("reload refused: "));

  stand.daemon.write_text("vips: [");
  EXPECT_EQ(stand.daemon.cli({"reload"}).exit_code, 3);
  EXPECT_TRUE(traffic.wait_for(200));
  const Tally tally = traffic.stop();
  EXPECT_EQ(tally.failed, 0u);
  EXPECT_GT(tally.of("b2"), 0u);

  stand.daemon.write(stand.config_of_first(2));
  EXPECT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  EXPECT_EQ(stand.daemon.get("/v1/status").at("last_reload").at("successful"), true);
  EXPECT_THAT(stand.daemon.cli({"status"}).out, Not(HasSubstr("vips[0].protocol")));
}

// A connection to `name` that answers again and again.
HttpConnection connection_to(const std::string& name) {
  for (;;) {
    auto connection = HttpConnection::to(kVip, 80);
    if (!connection) throw BedFailure("the VIP does not answer");
    const auto answer = connection->request("GET", "/");
    if (answer && answer->body == name) return std::move(*connection);
  }
}

// F1, F5
TEST_F(NetnsTest, ARemovedBackendDrains) {
  Stand stand;
  const auto file = [&](int backends) {
    auto config = stand.config_of_first(backends);
    vip(config)["timeouts"] = {
        {"closing", 1}};  // ended flows are soon forgotten, so the id is soon free
    return config;
  };
  stand.serve(file(2), {"b1", "b2"});
  std::optional<HttpConnection> kept = stand.bed.client().run([] { return connection_to("b2"); });

  stand.daemon.write(file(1));
  ASSERT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  EXPECT_EQ(ask_times(stand.bed.client(), stand.ask(), 50).of("b1"), 50u);

  const auto answer = kept->request("GET", "/");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "b2");
  EXPECT_EQ(stand.daemon.backends().at(stand.name(2)).at("state"), "draining");

  kept.reset();
  EXPECT_TRUE(wait_until([&] { return stand.daemon.backends().count(stand.name(2)) == 0; }));
}

// F3, F5
TEST_F(NetnsTest, PastItsDeadlineADrainedBackendsFlowsLearnAtOnce) {
  Stand stand;
  auto config = stand.config_of_first(2);
  vip(config)["drain_timeout"] = 1;
  stand.serve(config, {"b1", "b2"});
  HttpConnection kept = stand.bed.client().run([] { return connection_to("b2"); });

  config = stand.config_of_first(1);
  vip(config)["drain_timeout"] = 1;
  stand.daemon.write(config);
  ASSERT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  ASSERT_TRUE(wait_until([&] { return stand.daemon.backends().count(stand.name(2)) == 0; }));

  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(kept.request("GET", "/")) << "b1 knows nothing of this connection: it resets it";
  EXPECT_LT(std::chrono::steady_clock::now() - before, kPatience / 2);
}

// W3
TEST_F(NetnsTest, AVipWithoutBackendsServesNobody) {
  StandOptions options;
  options.protocol = "udp";
  Stand stand(options);
  stand.serve(stand.config_of_first(1), {"b1"});

  stand.daemon.write(stand.config(nlohmann::json::array({stand.node(1, 0)})));
  ASSERT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  const auto briefly = [] { return udp_ask(kVip, 80, std::chrono::milliseconds(200)); };
  EXPECT_EQ(ask_times(stand.bed.client(), briefly, 3).failed, 3u);
}

}  // namespace
}  // namespace rampart::test
