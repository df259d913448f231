// SPDX-License-Identifier: Apache-2.0
// least_conn with long connections, as clients see it: a scale-out with slow start and without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "netns/stand.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

constexpr int kBefore = 200;  // connections that the first two backends hold
constexpr int kEach = kBefore / 2;

using Held = std::map<std::string, int>;  // connections by who answers them

class LeastConnTest : public NetnsTest {
 protected:
  void SetUp() override {
    NetnsTest::SetUp();
    if (IsSkipped()) return;
    StandOptions options;
    options.backends = 3;
    stand_ = std::make_unique<Stand>(options);
  }

  nlohmann::json least_conn(int nodes) const {
    nlohmann::json config = stand_->config_of_first(nodes);
    upstream(config)["type"] = "least_conn";
    if (!slow_start_.is_null()) upstream(config)["slow_start"] = slow_start_;
    return config;
  }

  // Opens connections one after the other and keeps them; who answered, in order.
  std::vector<std::string> open(int count) {
    return stand_->bed.client().run([&] {
      std::vector<std::string> names;
      for (int i = 0; i < count; ++i) {
        auto connection = HttpConnection::to(kVip, 80);
        const auto answer = connection ? connection->request("GET", "/") : std::nullopt;
        names.push_back(answer ? answer->body : "nobody");
        ++held_[names.back()];
        if (connection) connections_.push_back(std::move(*connection));
      }
      return names;
    });
  }

  // Two backends that hold as many each; then the third is in the file.
  void scale_out() {
    stand_->serve(least_conn(2), {"b1", "b2"});
    ASSERT_TRUE(wait_until([&] { return active(1) + active(2) == 0; }));
    open(kBefore);
    ASSERT_EQ(held_, (Held{{"b1", kEach}, {"b2", kEach}}));
    stand_->daemon.write(least_conn(3));
    ASSERT_EQ(stand_->daemon.cli({"reload"}).exit_code, 0);
  }

  nlohmann::json backend(int number) const {
    return stand_->daemon.backends().at(stand_->name(number));
  }
  int active(int number) const { return backend(number).at("flows").at("active").get<int>(); }
  // Percent of its configured weight.
  double percent(int number) const {
    return backend(number).at("weight").at("effective").get<double>();
  }

  nlohmann::json slow_start_;
  std::unique_ptr<Stand> stand_;
  std::vector<HttpConnection> connections_;
  Held held_;
};

// L4: the newcomer gets every connection until it has caught up, then all take turns.
TEST_F(LeastConnTest, WithoutSlowStartANewcomerGetsEveryConnectionUntilItHasAsMany) {
  ASSERT_NO_FATAL_FAILURE(scale_out());
  EXPECT_THAT(open(kEach), testing::Each("b3"));
  open(30);
  EXPECT_EQ(held_, (Held{{"b1", kEach + 10}, {"b2", kEach + 10}, {"b3", kEach + 10}}));
  EXPECT_EQ(active(3), kEach + 10);
}

// L1: it holds its part of the weight of what the others hold, as it is at that moment; what the
// daemon says of the weight may be one refresh ahead of the program.
TEST_F(LeastConnTest, WithSlowStartANewcomersConcurrencyStaysNearItsShare) {
  constexpr int kWindow = 12;
  constexpr double kRefresh = 100.0 / kWindow;
  slow_start_ = {{"slow_start_time_seconds", kWindow}, {"min_weight_percent", 5}};
  ASSERT_NO_FATAL_FAILURE(scale_out());
  for (int burst = 0; burst < 8; ++burst) {
    const double before = percent(3) - kRefresh;
    open(20);
    const double after = percent(3);
    EXPECT_LE(held_["b3"], after / 100 * (std::max(held_["b1"], held_["b2"]) + 1) + 1);
    EXPECT_GE(held_["b3"], before / 100 * (kEach + 1) - 1);
    if (after >= 100) break;
  }
  EXPECT_LT(percent(3), 100) << "the machine took too long to show anything";
  // Once it is mature it gets every connection, as without slow start, but there are fewer to make up.
  ASSERT_TRUE(wait_until([&] { return backend(3).at("state") == "mature"; }));
  const int behind = std::min(held_["b1"], held_["b2"]) - held_["b3"];
  EXPECT_GT(behind, 0);
  EXPECT_THAT(open(behind), testing::Each("b3"));
  EXPECT_FALSE(held_.contains("nobody"));
}

// L7, O1: what a killed daemon's clients close meanwhile is given back by the programs.
TEST_F(LeastConnTest, ClosedConnectionsAreGivenBackWithoutADaemon) {
  stand_->serve(least_conn(2), {"b1", "b2"});
  open(40);
  stand_->daemon.kill();
  connections_.clear();
  held_.clear();
  stand_->daemon.start();
  EXPECT_TRUE(wait_until([&] { return active(1) + active(2) == 0; }));
  open(10);
  EXPECT_EQ(held_, (Held{{"b1", 5}, {"b2", 5}}));
}

}  // namespace
}  // namespace rampart::test
