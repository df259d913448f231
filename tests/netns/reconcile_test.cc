// SPDX-License-Identifier: Apache-2.0
// O6, with bpftool: what a person breaks in the running maps is mended, and flows stay where they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "netns/stand.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

namespace fs = std::filesystem;

class ReconcileTest : public NetnsTest {
 protected:
  void SetUp() override {
    NetnsTest::SetUp();
    if (IsSkipped()) return;
    stand_.emplace();
    auto config = stand_->config_of_first(2);
    config["reconcile_interval"] = 1;
    stand_->serve(config, {"b1", "b2"});
    folder_ = fs::directory_iterator(stand_->daemon.pins())->path();  // vABI
    held_ = stand_->hold(8);
    served_by_ = who_answers(held_);
  }

  std::string pin(const std::string& name) const { return folder_ + "/" + name; }
  // bpftool map WHAT pinned PIN ARGUMENTS…
  void bpftool(const std::string& what, const std::string& map, const Command& arguments) const {
    Command command = {"bpftool", "map", what, "pinned", pin(map)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Finished done = run(command);
    ASSERT_EQ(done.exit_code, 0) << done.out << done.err;
  }
  std::string dump(const std::string& map) const {
    return run({"bpftool", "map", "dump", "pinned", pin(map)}).out;
  }
  std::set<std::string> pins() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.insert(entry.path().filename());
    return found;
  }
  static bool is_link(const std::string& name) { return name.rfind("link_", 0) == 0; }
  uint64_t repairs() const { return stand_->daemon.get("/v1/status").at("repairs"); }
  bool all_serve() const { return all_answer(stand_->bed.client(), stand_->ask(), {"b1", "b2"}); }
  void expect_served_as_before() {
    EXPECT_EQ(who_answers(held_), served_by_);
    EXPECT_TRUE(all_serve());
  }

  std::optional<Stand> stand_;
  std::string folder_;
  std::vector<HttpConnection> held_;
  std::vector<std::string> served_by_;
};

// rp_vips, rp_vip_state, rp_backends and a slot table by number or id 1: overwritten with zeros.
class OverwrittenTest : public ReconcileTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(OverwrittenTest, IsWrittenAgain) {
  const std::string map = GetParam();
  const std::string before = dump(map);
  const std::string first = map == "rp_slots_1" ? "0" : "1";
  const auto bytes = std::map<std::string, int>{
      {"rp_vip_state", 48}, {"rp_backends", 80}, {"rp_slots_1", 64}, {"rp_runtime", 8}};
  Command arguments = {"key", map == "rp_runtime" ? "0" : first, "0", "0", "0", "value"};
  arguments.insert(arguments.end(), static_cast<size_t>(bytes.at(map)), "0");
  ASSERT_NO_FATAL_FAILURE(bpftool("update", map, arguments));
  ASSERT_NE(dump(map), before);
  ASSERT_TRUE(wait_until([&] { return repairs() > 0; }));
  if (map != "rp_slots_1" && map != "rp_vip_state") {
    EXPECT_EQ(dump(map), before);  // those two have flipped since
  }
  EXPECT_TRUE(all_serve());
  if (map != "rp_vip_state") expect_served_as_before();  // without timeouts flows end for good
}

INSTANTIATE_TEST_SUITE_P(Maps, OverwrittenTest,
                         ::testing::Values("rp_vip_state", "rp_backends", "rp_slots_1",
                                           "rp_runtime"),
                         [](const auto& map) { return std::string(map.param); });

TEST_F(ReconcileTest, ADeletedVipServesAgain) {
  const std::string before = dump("rp_vips");
  // 203.0.113.10 port 80, TCP, in network byte order (rampart/keys.h).
  ASSERT_NO_FATAL_FAILURE(bpftool(
      "delete", "rp_vips", {"key", "hex", "00", "00", "00", "00", "00", "00", "00", "00", "00",
                            "00",  "ff",  "ff", "cb", "00", "71", "0a", "00", "50", "06", "00"}));
  ASSERT_NE(dump("rp_vips"), before);
  ASSERT_TRUE(wait_until([&] { return repairs() == 1; }));
  EXPECT_EQ(dump("rp_vips"), before);
  expect_served_as_before();
}

TEST_F(ReconcileTest, ADeletedTableIsMadeAgain) {
  ASSERT_NO_FATAL_FAILURE(bpftool("delete", "rp_slots", {"key", "1", "0", "0", "0"}));
  ASSERT_TRUE(wait_until([&] { return repairs() == 1; }));
  expect_served_as_before();
}

// O1: a next process finds all of it.
TEST_F(ReconcileTest, PinsThatWereRemovedAreThereAgain) {
  const auto before = pins();
  for (const std::string& name : before) {
    if (!is_link(name)) fs::remove(pin(name));
  }
  ASSERT_TRUE(wait_until([&] { return pins() == before; }));
  expect_served_as_before();
  stand_->daemon.kill();
  stand_->daemon.start();
  expect_served_as_before();
}

// The kernel detaches a program whose link is gone, and answers for itself meanwhile.
TEST_F(ReconcileTest, AnInterfaceWhoseLinkWasRemovedIsAttachedAgain) {
  const auto before = pins();
  for (const std::string& name : before) {
    if (is_link(name)) fs::remove(pin(name));
  }
  ASSERT_TRUE(wait_until([&] { return pins() == before; }));
  EXPECT_TRUE(all_serve());
}

// O4: the link stays with the interface that had the name before, and would pass for it.
TEST_F(ReconcileTest, AnotherInterfaceOfTheNameIsAttachedWhenTheFirstMovedAway) {
  const Netns& balancer = stand_->bed.balancer();
  balancer.ip(
      {"link set b2 netns " + stand_->bed.client().name(), "link add b2 type veth peer name b2p"});
  ASSERT_TRUE(wait_until([&] { return xdp_program_on(balancer, "b2") != 0; }));
}

// O6
TEST_F(ReconcileTest, AnInterfaceWhoseLinkGaveWayToAMapIsAttachedAgain) {
  must_run({"bpftool", "map", "create", pin("other"), "type", "percpu_array", "key", "4", "value",
            "4", "entries", "100000", "name", "other"});
  fs::rename(pin("other"), pin("link_b1"));
  ASSERT_TRUE(wait_until([&] {
    return run({"bpftool", "link", "show", "pinned", pin("link_b1")}).exit_code == 0;
  }));
  EXPECT_NE(xdp_program_on(stand_->bed.balancer(), "b1"), 0u);
  EXPECT_TRUE(all_serve());
}

}  // namespace
}  // namespace rampart::test
