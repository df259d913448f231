// SPDX-License-Identifier: Apache-2.0
// A ramp as clients see it: the share of a cold backend, second by second, against its curve.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "netns/stand.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

constexpr double kWindow = 12;      // seconds: enough steps to tell a line from a jump
constexpr double kFloor = 1;        // percent
constexpr double kRounding = 0.01;  // of weights in JSON

nlohmann::json with_ramp(nlohmann::json config) {
  upstream(config)["slow_start"] = {{"slow_start_time_seconds", kWindow},
                                    {"min_weight_percent", kFloor}};
  for (auto& [key, value] : upstream(config)["slow_start"].items()) value = value.get<int>();
  return config;
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Reading {
  Tally tally;
  double share;    // percent of new flows that the daemon says the cold backend takes
  double percent;  // of its configured weight
  bool mature;
};

Reading read(const Stand& stand, const Traffic& traffic) {
  const nlohmann::json cold = stand.daemon.backends().at(stand.name(3));
  const auto weight = [&](const char* kind) { return cold["weight"][kind].get<double>(); };
  return Reading{traffic.so_far(), cold.at("share").get<double>(),
                 100.0 * weight("effective") / weight("configured"), cold.at("state") == "mature"};
}

std::filesystem::path state_file(const Stand& stand) {
  return stand.bed.folder() / (stand.bed.name() + ".json");
}

// The percentage of its weight that a node has `seconds` after it joined (S2).
double curve(double seconds) {
  return 100.0 * std::clamp(std::max(seconds, 1.0) / kWindow, kFloor / 100, 1.0);
}

// The share of a node at `percent` of the weight that two others have in full.
double share_at(double percent) {
  return 100.0 * percent / (percent + 200.0);
}

// Two backends serve, and a third one begins its ramp.
void ramp_third(Stand& stand) {
  stand.serve(with_ramp(stand.config_of_first(2)), {"b1", "b2"});
  stand.daemon.write(with_ramp(stand.config_of_first(3)));
  ASSERT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
}

// S2, S0: what the daemon says follows the curve, and what clients get follows what the daemon
// says.
TEST_F(NetnsTest, ARampsRealShareFollowsItsCurve) {
  StandOptions options;
  options.backends = 3;
  Stand stand(options);
  stand.serve(with_ramp(stand.config_of_first(2)), {"b1", "b2"});

  Traffic traffic(stand.bed.client(), stand.ask(), 3);
  stand.daemon.write(with_ramp(stand.config_of_first(3)));
  const Stopwatch since_before;
  ASSERT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  const Stopwatch since_after;

  const Reading first = read(stand, traffic);
  Reading last = first;
  double asked = 0;  // answers that b3 should have given by now
  EXPECT_LT(first.percent, 25.0) << "it starts cold";
  while (!last.mature) {
    ASSERT_TRUE(traffic.wait_for(100));
    constexpr double kLate = 2;  // seconds: an interval, and a machine with other things to do
    const double at_least = curve(since_after.seconds() - kLate);
    const Reading now = read(stand, traffic);
    EXPECT_GE(now.percent, at_least - kRounding);
    EXPECT_LE(now.percent, curve(since_before.seconds()) + kRounding);
    EXPECT_NEAR(now.share, share_at(now.percent), 0.5);
    const auto answered = static_cast<double>(now.tally.since(last.tally).answered());
    asked += answered * (last.share + now.share) / 2 / 100;
    last = now;
  }
  const Tally ramp = last.tally.since(first.tally);
  const Tally whole = traffic.stop();
  EXPECT_EQ(whole.failed, 0u);
  EXPECT_NEAR(ramp.share("b3"), 100.0 * asked / static_cast<double>(ramp.answered()), 3.0);
}

// S3.21: without a state file what is found in the pinned maps was serving, so it is mature; what
// joined meanwhile is new.
TEST_F(NetnsTest, AfterARestartWithoutAStateFilePinnedNodesAreMatureAndNewOnesRamp) {
  StandOptions options;
  options.backends = 4;
  Stand stand(options);
  ASSERT_NO_FATAL_FAILURE(ramp_third(stand));
  const auto before = stand.daemon.backends();
  ASSERT_EQ(before.at(stand.name(3)).at("state"), "ramping");

  stand.daemon.kill();
  ASSERT_TRUE(std::filesystem::remove(state_file(stand)));
  stand.daemon.write(with_ramp(stand.config_of_first(4)));
  stand.daemon.start();
  const auto after = stand.daemon.backends();
  for (const int pinned : {1, 2, 3}) {
    EXPECT_EQ(after.at(stand.name(pinned)).at("state"), "mature") << pinned;
    EXPECT_EQ(after.at(stand.name(pinned)).at("id"), before.at(stand.name(pinned)).at("id"));
  }
  EXPECT_EQ(after.at(stand.name(4)).at("state"), "ramping");
  EXPECT_LT(after.at(stand.name(4)).at("share"), 100.0 / 4 / 2) << "it starts cold";
}

// S3.21: a ramp goes on where the clock is, over kill -9 too; what joined meanwhile is new.
TEST_F(NetnsTest, ARampGoesOnAfterAKill) {
  StandOptions options;
  options.backends = 4;
  Stand stand(options);
  ASSERT_NO_FATAL_FAILURE(ramp_third(stand));
  nlohmann::json before;
  ASSERT_TRUE(wait_until([&] {
    before = stand.daemon.backends().at(stand.name(3));
    return before.at("ramp").at("percent") > 15;
  }));

  stand.daemon.kill();
  stand.daemon.write(with_ramp(stand.config_of_first(4)));
  stand.daemon.start();
  const auto after = stand.daemon.backends();
  EXPECT_EQ(after.at(stand.name(1)).at("state"), "mature");
  EXPECT_EQ(after.at(stand.name(3)).at("state"), "ramping");
  EXPECT_GE(after.at(stand.name(3)).at("ramp").at("percent"), before.at("ramp").at("percent"));
  EXPECT_EQ(after.at(stand.name(4)).at("state"), "ramping");
  EXPECT_LT(after.at(stand.name(4)).at("ramp").at("percent"),
            after.at(stand.name(3)).at("ramp").at("percent"));
}

// S3.21: a broken state file is put aside, said, and never stops a start.
TEST_F(NetnsTest, ABrokenStateFileIsPutAside) {
  StandOptions options;
  options.backends = 2;
  Stand stand(options);
  stand.serve(with_ramp(stand.config_of_first(2)), {"b1", "b2"});
  stand.daemon.kill();
  std::filesystem::resize_file(state_file(stand),
                               std::filesystem::file_size(state_file(stand)) / 2);
  stand.daemon.start();
  EXPECT_EQ(stand.daemon.backends().at(stand.name(1)).at("state"), "mature");
  EXPECT_TRUE(std::filesystem::exists(state_file(stand).string() + ".bad"));
  EXPECT_TRUE(std::filesystem::exists(state_file(stand))) << "and written anew";
}

}  // namespace
}  // namespace rampart::test
