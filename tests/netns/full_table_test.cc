// SPDX-License-Identifier: Apache-2.0
// A flow table without room: what is known stays known, and what is new goes by hash, or in nat not
// at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <set>

#include "netns/stand.h"
#include "support/sockets.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

constexpr int kMaxFlows = 1000;
constexpr int kFew = kMaxFlows / 100;
constexpr int kTooMany = 2 * kMaxFlows;  // the table has less than this many entries

constexpr char kAll[] = "/v1/flows?limit=20000";

class FullTableTest : public NetnsTest {
 protected:
  // The last ACK of a connection that had no entry may find room and begin a flow: that ends soon.
  static json config_of(const Stand& stand) {
    json config = stand.config_of_first(2);
    config["bpf"]["max_flows"] = kMaxFlows;
    vip(config)["timeouts"] = {{"syn", 1}, {"closing", 1}};
    return config;
  }

  // The clients of flows that are established and silent for so many seconds.
  static std::set<std::string> established(const Stand& stand, int silent = 0) {
    std::set<std::string> clients;
    for (const json& flow : stand.daemon.get(kAll)) {
      if (flow.at("state") != "established" || flow.at("idle_seconds") < silent) continue;
      clients.insert(flow.at("client"));
    }
    return clients;
  }

  // Those, once all are silent for longer than a flow must be that gives way.
  static std::set<std::string> silent(const Stand& stand) {
    constexpr int kSilent = 3;
    EXPECT_TRUE(wait_until([&] { return established(stand, kSilent) == established(stand); }));
    return established(stand);
  }

  // What the backends say.
  static size_t counted(const Stand& stand) { return static_cast<size_t>(stand.flows("active")); }

  static void expect_counts_to_end_at_zero(const Stand& stand) {
    EXPECT_TRUE(wait_until([&] { return stand.flows("active") == 0; })) << stand.daemon.get(kAll);
    EXPECT_EQ(stand.flow_table("count_drift"), 0);
  }
};

TEST_F(FullTableTest, InL2WhatHasNoEntryWorksByHashAndWhatHasOneKeepsIt) {  // F8
  Stand stand({.forward = "l2"});
  stand.serve(config_of(stand), {"b1", "b2"});
  ASSERT_TRUE(wait_until([&] { return stand.flows("active") == 0; }));
  auto held = stand.hold(kMaxFlows);
  ASSERT_EQ(held.size(), size_t{kMaxFlows});
  const auto served_by = who_answers(held);
  EXPECT_THAT(served_by, Not(Contains("nobody")));
  const auto known = silent(stand);
  EXPECT_GE(known.size(), size_t{kMaxFlows - kFew});
  EXPECT_EQ(counted(stand), known.size());

  auto more = stand.hold(kTooMany);
  EXPECT_EQ(more.size(), size_t{kTooMany});
  const auto more_served_by = who_answers(more);
  EXPECT_THAT(more_served_by, Not(Contains("nobody")));
  EXPECT_EQ(who_answers(more), more_served_by);
  EXPECT_GT(stand.flow_table("refused"), 0);

  EXPECT_EQ(who_answers(held), served_by);
  EXPECT_THAT(established(stand), IsSupersetOf(known));
  EXPECT_TRUE(wait_until([&] { return counted(stand) == established(stand).size(); }));
  more.clear();
  held.clear();
  expect_counts_to_end_at_zero(stand);
}

TEST_F(FullTableTest, StatusWarnsOfATableThatIsFull) {  // F8
  Stand stand({.forward = "l2"});
  stand.serve(config_of(stand), {"b1", "b2"});
  auto held = stand.hold(kTooMany);
  EXPECT_TRUE(wait_until([&] {
    who_answers(held);
    return stand.daemon.cli({"status"}).out.find("flow table: full") != std::string::npos;
  }));
}

// F8: a flow has two entries there, so a third of max_flows is far from what is refused.
TEST_F(FullTableTest, InNatNewConnectionsAreRefusedByNameAndEstablishedOnesGoOn) {
  Stand stand;
  stand.serve(config_of(stand), {"b1", "b2"});
  const auto refused = [&] {
    return stand.daemon.get("/v1/vips").at(0).at("outcomes").value("drop_table_full", 0);
  };
  auto held = stand.hold(kMaxFlows / 3);
  ASSERT_EQ(held.size(), size_t{kMaxFlows / 3});
  const auto served_by = who_answers(held);
  EXPECT_THAT(served_by, Not(Contains("nobody")));
  const auto known = silent(stand);
  EXPECT_EQ(refused(), 0);

  std::vector<Fd> more = stand.bed.client().run([] {
    std::vector<Fd> begun;
    for (int i = 0; i < kTooMany; ++i) begun.push_back(beginning(kVip, 80));
    return begun;
  });
  EXPECT_TRUE(wait_until([&] { return refused() >= kTooMany / 4; }));
  EXPECT_EQ(who_answers(held), served_by);
  EXPECT_THAT(established(stand), IsSupersetOf(known));
  EXPECT_TRUE(wait_until([&] {
    const size_t entries = static_cast<size_t>(stand.flow_table("entries"));
    return entries == 2 * stand.daemon.get(kAll).size();
  })) << "what is refused leaves nothing behind";

  more.clear();
  EXPECT_TRUE(all_answer(stand.bed.client(), stand.ask(), {"b1", "b2"}));
  held.clear();
  expect_counts_to_end_at_zero(stand);
}

}  // namespace
}  // namespace rampart::test
