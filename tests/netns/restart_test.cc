// SPDX-License-Identifier: Apache-2.0
// The data plane outlives the daemon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>

#include "netns/stand.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

constexpr uint64_t kSome = 200;  // answers that show that traffic flows

// Every arm of the balancer that has an XDP program.
std::vector<std::string> attached(const Bed& bed) {
  std::vector<std::string> arms;
  for (const std::string& arm : bed.arms()) {
    if (xdp_program_on(bed.balancer(), arm) != 0) arms.push_back(arm);
  }
  return arms;
}

std::map<std::string, nlohmann::json> field(const Daemon& daemon, const char* name) {
  std::map<std::string, nlohmann::json> values;
  for (const auto& [backend, node] : daemon.backends()) values[backend] = node.at(name);
  return values;
}

// Raises what this process may have open where that is less.
void allow_descriptors(rlim_t count) {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::max(limit.rlim_cur, count);
  limit.rlim_max = std::max(limit.rlim_max, count);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0) << "no " << count << " descriptors are allowed";
}

class KillTest : public NetnsTest, public ::testing::WithParamInterface<const char*> {};

// O1: over UDP an answer that does not come is a packet lost, for nobody sends it again.
TEST_P(KillTest, LosesNothingUnderTraffic) {
  StandOptions options;
  options.protocol = GetParam();
  Stand stand(options);
  stand.serve(stand.config_of_first(2), {"b1", "b2"});

  Traffic traffic(stand.bed.client(), stand.ask());
  EXPECT_TRUE(traffic.wait_for(kSome));
  stand.daemon.kill();
  EXPECT_TRUE(traffic.wait_for(kSome));
  stand.daemon.start();
  EXPECT_TRUE(traffic.wait_for(kSome));
  EXPECT_EQ(stand.daemon.terminate(), 0);
  EXPECT_TRUE(traffic.wait_for(kSome));
  stand.daemon.start();
  EXPECT_TRUE(traffic.wait_for(kSome));
  EXPECT_EQ(traffic.stop().failed, 0u);
}

INSTANTIATE_TEST_SUITE_P(Protocols, KillTest, ::testing::Values("tcp", "udp"),
                         [](const auto& protocol) { return std::string(protocol.param); });

// O1, O2, W8, F1
TEST_F(NetnsTest, ARestartAdoptsThePinsWithIdsAndFlowsUnmoved) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  const auto ids = field(stand.daemon, "id");
  const auto slots = field(stand.daemon, "slots");

  std::vector<HttpConnection> kept = stand.hold(20);
  const std::vector<std::string> before = who_answers(kept);
  const auto packets = field(stand.daemon, "packets");

  stand.daemon.kill();
  EXPECT_EQ(who_answers(kept), before);
  stand.daemon.start();
  EXPECT_EQ(field(stand.daemon, "id"), ids);
  EXPECT_EQ(field(stand.daemon, "slots"), slots);
  EXPECT_EQ(stand.daemon.get("/v1/vips").at(0).at("slots_moved"), 0);
  EXPECT_EQ(who_answers(kept), before);
  for (const auto& [name, count] : field(stand.daemon, "packets")) {
    EXPECT_GE(count, packets.at(name)) << name << ": counters never fall";
  }
}

// F1, O1
TEST_F(NetnsTest, TenThousandConnectionsOutliveTheDaemonWithBackendAndCount) {
  constexpr int kMany = 10000;
  ASSERT_NO_FATAL_FAILURE(allow_descriptors(kMany + 1000));
  Stand stand;
  // From here on servers and clients have descriptors of their own, so that the limit is for each.
  ASSERT_EQ(unshare(CLONE_FILES), 0);
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  ASSERT_TRUE(wait_until([&] { return stand.flows("active") == 0; }));
  std::vector<HttpConnection> kept = stand.hold(kMany);
  ASSERT_EQ(kept.size(), size_t{kMany});
  const std::vector<std::string> before = who_answers(kept);
  ASSERT_THAT(before, ::testing::Not(::testing::Contains("nobody")));
  const auto counts = field(stand.daemon, "flows");
  EXPECT_EQ(stand.flows("active"), kMany);

  stand.daemon.kill();
  EXPECT_EQ(who_answers(kept), before);
  stand.daemon.start();
  EXPECT_EQ(who_answers(kept), before);
  EXPECT_EQ(field(stand.daemon, "flows"), counts);
}

// O2: adopting what a differing file finds pinned moves only what the file changed.
TEST_F(NetnsTest, AFileChangedWhileTheDaemonWasAwayIsApplied) {
  Stand stand;
  stand.serve(stand.config_of_first(1), {"b1"});
  const auto id = stand.daemon.backends().at(stand.name(1)).at("id");
  stand.daemon.kill();
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  EXPECT_EQ(stand.daemon.backends().at(stand.name(1)).at("id"), id);
}

// O7
TEST_F(NetnsTest, ASecondDaemonOnOneInstanceRefuses) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  const Finished second = run(stand.daemon.command());
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, ::testing::HasSubstr(stand.bed.name()));
  EXPECT_EQ(ask_times(stand.bed.client(), stand.ask(), 20).failed, 0u);
}

// O1, C3: whatever keeps the next daemon from starting.
TEST_F(NetnsTest, ADaemonThatCannotStartLeavesWhatServes) {
  Stand stand;
  auto config = stand.config_of_first(2);
  stand.serve(config, {"b1", "b2"});
  stand.daemon.kill();

  constexpr int kInvalidConfig = 3;
  constexpr int kCannotAttach = 4;
  stand.daemon.write_text("vips: [");
  EXPECT_EQ(run(stand.daemon.command()).exit_code, kInvalidConfig);
  config["interfaces"].push_back({{"name", "nosuch0"}, {"mode", "auto"}});
  stand.daemon.write(config);
  EXPECT_EQ(run(stand.daemon.command()).exit_code, kCannotAttach);
  EXPECT_EQ(attached(stand.bed), stand.bed.arms());
  EXPECT_EQ(ask_times(stand.bed.client(), stand.ask(), 20).failed, 0u);
}

// O1, O4
TEST_F(NetnsTest, SigtermLeavesTheDataPlaneUnlessToldToDetach) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  EXPECT_EQ(stand.daemon.terminate(), 0);
  EXPECT_EQ(attached(stand.bed), stand.bed.arms());

  stand.daemon.start({"--detach-on-exit"});
  EXPECT_EQ(stand.daemon.terminate(), 0);
  EXPECT_EQ(attached(stand.bed), std::vector<std::string>{});
}

// O4
TEST_F(NetnsTest, DetachWithoutADaemonLeavesNothingAndMayBeRepeated) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  stand.daemon.kill();
  ASSERT_EQ(attached(stand.bed), stand.bed.arms());

  const Command detach = {program("rampart"), "detach", "--all", "--instance", stand.bed.name()};
  for (int time = 0; time < 2; ++time) {
    const Finished done = run(stand.bed.balancer().inside(detach));
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(attached(stand.bed), std::vector<std::string>{});
    EXPECT_FALSE(std::filesystem::exists(stand.daemon.pins()));
  }
}

// O4, O2: with a daemon what it knows stays.
TEST_F(NetnsTest, DetachAllWithADaemonKeepsTheMaps) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  const auto ids = field(stand.daemon, "id");

  EXPECT_EQ(stand.daemon.cli({"detach", "--all"}).exit_code, 0);
  EXPECT_EQ(attached(stand.bed), std::vector<std::string>{});
  EXPECT_TRUE(std::filesystem::exists(stand.daemon.pins()));

  for (const std::string& arm : stand.bed.arms()) {
    EXPECT_EQ(stand.daemon.cli({"attach", arm}).exit_code, 0) << arm;
  }
  EXPECT_TRUE(all_answer(stand.bed.client(), stand.ask(), {"b1", "b2"}));
  EXPECT_EQ(field(stand.daemon, "id"), ids);
}

// O4
TEST_F(NetnsTest, AttachAndDetachAtRunTimeAreKeptUntilUndone) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  const std::string arm = stand.bed.arms().front();

  EXPECT_EQ(stand.daemon.cli({"detach", arm}).exit_code, 0);
  EXPECT_EQ(xdp_program_on(stand.bed.balancer(), arm), 0u);
  EXPECT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  EXPECT_EQ(xdp_program_on(stand.bed.balancer(), arm), 0u);
  EXPECT_EQ(stand.daemon.cli({"detach", arm}).exit_code, 0) << "once more changes nothing";

  EXPECT_THAT(stand.daemon.cli({"status"}).out, testing::HasSubstr("detached by order"));
  const Finished nothing = stand.daemon.cli({"detach", "nosuch0"});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_THAT(nothing.err, testing::HasSubstr("nosuch0: nothing is attached to it"));

  EXPECT_EQ(stand.daemon.cli({"attach", arm}).exit_code, 0);
  EXPECT_NE(xdp_program_on(stand.bed.balancer(), arm), 0u);
  EXPECT_TRUE(all_answer(stand.bed.client(), stand.ask(), {"b1", "b2"}));
}

}  // namespace
}  // namespace rampart::test
