// SPDX-License-Identifier: Apache-2.0
// drain, undrain, maintenance, ready and weight, as an operator sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "netns/stand.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class AdminTest : public NetnsTest {
 protected:
  void SetUp() override {
    NetnsTest::SetUp();
    if (IsSkipped()) return;
    stand_ = std::make_unique<Stand>();
    stand_->serve(stand_->config_of_first(2), {"b1", "b2"});
  }

  Finished order(const Command& verb) const { return stand_->daemon.cli(verb); }
  json second() const { return stand_->daemon.backends().at(stand_->name(2)); }
  // Who answers new connections.
  Tally answers(int count) const { return ask_times(stand_->bed.client(), stand_->ask(), count); }

  std::unique_ptr<Stand> stand_;
};

TEST_F(AdminTest, ADrainedBackendKeepsItsConnectionsAndGetsNoNewOnes) {  // F5
  auto held = stand_->hold(6);
  const auto before = second().at("flows").at("active").get<int>();
  ASSERT_GT(before, 0);
  const Finished drained = order({"drain", stand_->name(2)});
  ASSERT_EQ(drained.exit_code, 0) << drained.err;
  EXPECT_THAT(drained.out, HasSubstr("draining"));
  EXPECT_EQ(answers(10).of("b2"), 0u);
  EXPECT_EQ(second().at("state"), "draining");
  EXPECT_EQ(second().at("flows").at("active"), before);
  for (HttpConnection& connection : held) EXPECT_TRUE(connection.request("GET", "/"));
  EXPECT_THAT(stand_->daemon.process().output(), Not(HasSubstr("drained:")));
  held.clear();
  EXPECT_TRUE(wait_until([&] {
    return stand_->daemon.process().output().find("drained: " + stand_->name(2)) !=
           std::string::npos;
  }));
  ASSERT_EQ(order({"undrain", stand_->name(2)}).exit_code, 0);
  EXPECT_EQ(second().at("state"), "mature");
  EXPECT_GT(answers(10).of("b2"), 0u);
}

TEST_F(AdminTest, EachStateTakesTheFormersPlaceAndSaysWhoAndWhen) {  // F5, B6
  ASSERT_EQ(order({"drain", stand_->name(2)}).exit_code, 0);
  ASSERT_EQ(order({"maintenance", stand_->name(2)}).exit_code, 0);
  EXPECT_EQ(second().at("admin"), "maintenance");
  EXPECT_THAT(second().at("admin_by").get<std::string>(), HasSubstr("root, 20"));
  EXPECT_EQ(answers(6).of("b2"), 0u);
  ASSERT_EQ(order({"ready", stand_->name(2)}).exit_code, 0);
  EXPECT_EQ(second().at("admin"), "none");
  EXPECT_TRUE(second().at("admin_by").is_null());
}

TEST_F(AdminTest, AnOverrideIsTheTargetWeightUntilItIsCleared) {  // W1, B6
  const Finished ordered = order({"weight", stand_->name(2), "0"});
  ASSERT_EQ(ordered.exit_code, 0) << ordered.err;
  EXPECT_EQ(second().at("weight").at("override"), 0);
  EXPECT_EQ(answers(6).of("b2"), 0u);
  stand_->daemon.write(stand_->config_of_first(2));
  ASSERT_EQ(order({"reload"}).exit_code, 0);
  EXPECT_EQ(second().at("weight").at("override"), 0);
  ASSERT_EQ(order({"weight", stand_->name(2), "--clear"}).exit_code, 0);
  EXPECT_TRUE(second().at("weight").at("override").is_null());
  EXPECT_GT(answers(10).of("b2"), 0u);
}

TEST_F(AdminTest, OrdersOutliveTheDaemon) {  // B6
  ASSERT_EQ(order({"drain", stand_->name(2)}).exit_code, 0);
  ASSERT_EQ(order({"weight", stand_->name(1), "7"}).exit_code, 0);
  const json by = second().at("admin_by");
  stand_->daemon.kill();
  stand_->daemon.start();
  EXPECT_EQ(second().at("admin"), "drain");
  EXPECT_EQ(second().at("admin_by"), by);
  EXPECT_EQ(stand_->daemon.backends().at(stand_->name(1)).at("weight").at("override"), 7);
  EXPECT_EQ(answers(6).of("b2"), 0u);
}

TEST_F(AdminTest, ARampMayBeAskedFor) {  // S3.25
  EXPECT_THAT(order({"ready", stand_->name(2), "--ramp"}).err, HasSubstr("no slow_start"));
  json config = stand_->config_of_first(2);
  upstream(config)["slow_start"] = {{"slow_start_time_seconds", 600}, {"min_weight_percent", 10}};
  stand_->daemon.write(config);
  ASSERT_EQ(order({"reload"}).exit_code, 0);
  ASSERT_EQ(order({"maintenance", stand_->name(2)}).exit_code, 0);
  ASSERT_EQ(order({"ready", stand_->name(2), "--ramp"}).exit_code, 0);
  EXPECT_EQ(second().at("state"), "ramping");
  EXPECT_EQ(second().at("weight").at("shown"), 10);
}

TEST_F(AdminTest, WhatCannotBeOrderedIsSaid) {
  struct Wrong {
    Command command;
    int exit_code;
    const char* says;
  };
  const std::string name = stand_->name(2);
  for (const Wrong& wrong :
       {Wrong{{"drain", "web/nobody:1"}, 1, "there is no backend of the name web/nobody:1"},
        Wrong{{"drain", "nobody"}, 1, "there is no backend of the name nobody"},
        Wrong{{"drain"}, 2, "usage: rampart drain BACKEND"},
        Wrong{{"drain", name, "--ramp"}, 2, "--ramp is no option of drain"},
        Wrong{{"weight", name, "65536"}, 2, "a whole number 0…65535"},
        Wrong{{"weight", name, "much"}, 2, "a whole number"},
        Wrong{{"weight", name}, 2, "usage: rampart weight"},
        Wrong{{"weight", name, "1", "--clear"}, 2, "usage: rampart weight"}}) {
    const Finished done = order(wrong.command);
    EXPECT_EQ(done.exit_code, wrong.exit_code) << done.err;
    EXPECT_THAT(done.err, HasSubstr(wrong.says));
  }
}

}  // namespace
}  // namespace rampart::test
