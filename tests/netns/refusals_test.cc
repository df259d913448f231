// SPDX-License-Identifier: Apache-2.0
// What the daemon cannot do it says, with an exit code of its own, and leaves nothing half done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "netns/stand.h"

namespace rampart::test {
namespace {

using ::testing::HasSubstr;

constexpr int kInvalidConfig = 3;
constexpr int kCannotAttach = 4;
constexpr int kNoDaemon = 5;
constexpr int kMissingPrivilege = 6;

// O3
TEST_F(NetnsTest, AMissingInterfaceIsNamed) {
  Stand stand;
  auto config = stand.config_of_first(2);
  config["interfaces"].push_back({{"name", "nosuch0"}, {"mode", "auto"}});
  stand.daemon.write(config);

  const Finished daemon = run(stand.daemon.command());
  EXPECT_EQ(daemon.exit_code, kCannotAttach);
  EXPECT_THAT(daemon.err, HasSubstr("nosuch0"));
  EXPECT_EQ(xdp_program_on(stand.bed.balancer(), stand.bed.arms().front()), 0u);
}

// O1: whoever starts it in another network namespace, where interfaces have the same names, takes
// nothing away where it serves.
TEST_F(NetnsTest, ADaemonInAnotherNetworkNamespaceTouchesNothing) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  stand.daemon.kill();
  const Netns elsewhere(stand.bed.name() + "-else");
  for (const std::string& arm : stand.bed.arms()) {
    ASSERT_EQ(run(elsewhere.inside({"ip", "link", "add", arm, "type", "veth"})).exit_code, 0);
  }
  const Finished daemon =
      run(elsewhere.inside({program("rampartd"), "--config", stand.daemon.config_file()}));
  EXPECT_EQ(daemon.exit_code, kCannotAttach);
  EXPECT_THAT(daemon.err, HasSubstr("in another network namespace"));
  for (const std::string& arm : stand.bed.arms()) EXPECT_EQ(xdp_program_on(elsewhere, arm), 0u);
  EXPECT_TRUE(all_answer(stand.bed.client(), stand.ask(), {"b1", "b2"}));
}

// O3
TEST_F(NetnsTest, AnInterfaceThatCarriesAnotherProgramIsLeftAloneAndItsHolderNamed) {
  Stand stand;
  const std::string arm = stand.bed.arms().front();
  PassProgram().attach(stand.bed.balancer(), arm);
  const unsigned holder = xdp_program_on(stand.bed.balancer(), arm);
  stand.daemon.write(stand.config_of_first(2));

  const Finished daemon = run(stand.daemon.command());
  EXPECT_EQ(daemon.exit_code, kCannotAttach);
  EXPECT_THAT(daemon.err, HasSubstr(arm));
  EXPECT_THAT(daemon.err, HasSubstr(std::to_string(holder)));
  EXPECT_EQ(xdp_program_on(stand.bed.balancer(), arm), holder);
}

// C3
TEST_F(NetnsTest, ABadFileAtStartEndsTheDaemonBeforeItTouchesAnything) {
  Stand stand;
  auto config = stand.config_of_first(2);
  vip(config)["port"] = 70000;
  stand.daemon.write(config);

  const Finished daemon = run(stand.daemon.command());
  EXPECT_EQ(daemon.exit_code, kInvalidConfig);
  EXPECT_THAT(daemon.err, HasSubstr("vips[0].port"));
  EXPECT_EQ(xdp_program_on(stand.bed.balancer(), stand.bed.arms().front()), 0u);
  EXPECT_FALSE(std::filesystem::exists(stand.daemon.pins()));
}

class PrivilegeTest : public NetnsTest, public ::testing::WithParamInterface<const char*> {};

// O5: CAP_SYS_ADMIN stands for the finer capabilities, so it is taken away as well.
TEST_P(PrivilegeTest, AMissingCapabilityIsNamed) {
  const std::string missing = GetParam();
  Stand stand;
  stand.daemon.write(stand.config_of_first(2));

  const std::string fewer = "-sys_admin,-" + missing;
  const Finished daemon = run(
      stand.daemon.command({"setpriv", "--inh-caps=" + fewer, "--bounding-set=" + fewer, "--"}));
  EXPECT_EQ(daemon.exit_code, kMissingPrivilege) << daemon.err;
  std::string name = "CAP_";
  for (const char letter : missing) name += static_cast<char>(toupper(letter));
  EXPECT_THAT(daemon.err, HasSubstr(name));
}

INSTANTIATE_TEST_SUITE_P(Capabilities, PrivilegeTest,
                         ::testing::Values("bpf", "net_admin", "perfmon"),
                         [](const auto& capability) { return std::string(capability.param); });

// X11: which mode an interface got is said.
TEST_F(NetnsTest, StatusSaysWhichModeAnInterfaceGot) {
  StandOptions options;
  options.mode = Mode::kGeneric;
  Stand stand(options);
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  const nlohmann::json status = stand.daemon.get("/v1/status");
  for (const auto& interface : status.at("interfaces")) {
    EXPECT_EQ(interface.at("mode"), "generic") << interface;
  }
}

TEST_F(NetnsTest, TheCommandLineSaysThatNoDaemonListens) {
  Stand stand;
  const Finished status = stand.daemon.cli({"status"});
  EXPECT_EQ(status.exit_code, kNoDaemon);
  EXPECT_THAT(status.err, HasSubstr("rampart: "));
}

}  // namespace
}  // namespace rampart::test
