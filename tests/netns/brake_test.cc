// SPDX-License-Identifier: Apache-2.0
// C4: what needs to be insisted on, and a file that is watched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "netns/stand.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

using ::testing::HasSubstr;

class BrakeTest : public NetnsTest {
 protected:
  void SetUp() override {
    NetnsTest::SetUp();
    if (IsSkipped()) return;
    StandOptions options;
    options.backends = 4;
    stand_.emplace(options);
    stand_->serve(stand_->config_of_first(4), {"b1", "b2", "b3", "b4"});
  }

  uint64_t refused() const { return reading().at("refused"); }
  nlohmann::json reading() const { return stand_->daemon.get("/v1/status").at("last_reload"); }
  size_t backends() const { return stand_->daemon.backends().size(); }

  std::optional<Stand> stand_;
};

TEST_F(BrakeTest, AReloadThatRemovesMostNodesNeedsForce) {
  stand_->daemon.write(stand_->config_of_first(1));
  const Finished held = stand_->daemon.cli({"reload"});
  EXPECT_EQ(held.exit_code, 1);
  EXPECT_THAT(held.err, HasSubstr("rampart: upstream web: it would remove 3 of the 4 nodes"));
  EXPECT_THAT(held.err, HasSubstr("--force"));
  EXPECT_EQ(reading().at("successful"), false);
  EXPECT_EQ(backends(), 4u);
  EXPECT_TRUE(all_answer(stand_->bed.client(), stand_->ask(), {"b1", "b2", "b3", "b4"}));

  EXPECT_EQ(stand_->daemon.cli({"reload", "--force"}).exit_code, 0);
  EXPECT_TRUE(wait_until([&] { return backends() == 1; }));
}

TEST_F(BrakeTest, ASecondSignalInsists) {
  stand_->daemon.write(stand_->config_of_first(1));
  stand_->daemon.process().signal(SIGHUP);
  ASSERT_TRUE(wait_until([&] { return refused() == 1; }));
  EXPECT_EQ(backends(), 4u);
  stand_->daemon.process().signal(SIGHUP);
  EXPECT_TRUE(wait_until([&] { return backends() == 1; }));
  EXPECT_EQ(refused(), 1u);
}

TEST_F(BrakeTest, AWatchedFileIsReadWhenItIsReplacedAndNotWhenItIsWritten) {
  const std::string path = stand_->daemon.config_file();
  const auto write = [&](const std::string& to, int count, const char* watch) {
    auto file = stand_->config_of_first(count);
    file["watch"] = watch;
    std::ofstream(to) << file.dump();
  };
  const auto replace = [&](int count, const char* watch) {
    write(path + ".next", count, watch);
    std::filesystem::rename(path + ".next", path);
  };
  replace(4, "rename");
  ASSERT_EQ(stand_->daemon.cli({"reload"}).exit_code, 0);
  const auto epoch = [&] { return stand_->daemon.get("/v1/status").at("epoch").get<int>(); };
  const int before = epoch();

  write(path, 3, "rename");
  replace(2, "rename");
  ASSERT_TRUE(wait_until([&] { return epoch() > before; }));
  EXPECT_EQ(epoch(), before + 1) << "what was only written in place is not read";
  EXPECT_TRUE(wait_until([&] { return backends() == 2; }));

  replace(3, "off");
  ASSERT_TRUE(wait_until([&] { return backends() == 3; }));
  replace(4, "off");
  ASSERT_EQ(stand_->daemon.cli({"status"}).exit_code, 0);
  EXPECT_EQ(backends(), 3u) << "no longer watched";
}

}  // namespace
}  // namespace rampart::test
