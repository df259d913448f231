// SPDX-License-Identifier: Apache-2.0
// The flow table as an operator sees it: rampart flows, and what status says of the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "netns/stand.h"
#include "support/netns.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class FlowsTest : public NetnsTest {};

TEST_F(FlowsTest, EachFlowIsListedOnceWithItsBackend) {
  for (const std::string forward : {"nat", "l2"}) {
    Stand stand({.forward = forward});
    stand.serve(stand.config_of_first(2), {"b1", "b2"});
    const auto held = stand.hold(6);
    ASSERT_EQ(held.size(), 6u);
    std::set<std::string> clients;
    int established = 0;
    for (const json& flow : stand.daemon.get("/v1/flows?vip=web")) {
      EXPECT_TRUE(clients.insert(flow.at("client")).second) << flow.dump();
      EXPECT_EQ(flow.at("vip_address"), std::string(kVip) + ":80");
      EXPECT_TRUE(flow.at("backend") == stand.name(1) || flow.at("backend") == stand.name(2));
      if (flow.at("state") == "established") ++established;
    }
    EXPECT_EQ(established, 6) << forward;
  }
}

TEST_F(FlowsTest, TheCommandListsWhatItIsAskedFor) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  const auto held = stand.hold(6);
  const Finished all = stand.daemon.cli({"flows", "-o", "json"});
  ASSERT_EQ(all.exit_code, 0) << all.err;
  const json flows = json::parse(all.out);
  EXPECT_GE(flows.size(), 6u);
  const json of_one =
      json::parse(stand.daemon.cli({"flows", "--backend", stand.name(1), "-o", "json"}).out);
  EXPECT_GT(of_one.size(), 0u);
  EXPECT_LT(of_one.size(), flows.size());
  for (const json& flow : of_one) EXPECT_EQ(flow.at("backend"), stand.name(1));

  const Finished few = stand.daemon.cli({"flows", "--limit", "2"});
  EXPECT_THAT(few.out, HasSubstr("CLIENT"));
  EXPECT_EQ(std::count(few.out.begin(), few.out.end(), '\n'), 3);
  EXPECT_THAT(few.err, HasSubstr("there may be more"));
}

TEST_F(FlowsTest, WhatIsNotThereIsAnError) {
  Stand stand;
  stand.serve(stand.config_of_first(1), {"b1"});
  const Finished nobody = stand.daemon.cli({"flows", "--backend", "web/nobody:1"});
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_THAT(nobody.err, HasSubstr("there is no backend of the name web/nobody:1"));
  EXPECT_EQ(stand.daemon.cli({"flows", "--vip", "nowhere"}).exit_code, 1);
  EXPECT_EQ(stand.daemon.cli({"flows", "--limit", "0"}).exit_code, 2);
  EXPECT_EQ(stand.daemon.cli({"flows", "--limit", "18446744073709551615"}).exit_code, 2);
  for (const std::string name : {"a b", "a&limit=1", "a%00", "a\nb"}) {
    const Finished odd = stand.daemon.cli({"flows", "--backend", name});
    EXPECT_EQ(odd.exit_code, 1) << name;
    EXPECT_THAT(odd.err, HasSubstr("no backend of the name"));
  }
  EXPECT_EQ(stand.daemon.cli({"flows", "more"}).exit_code, 2);
}

TEST_F(FlowsTest, StatusTellsHowFullTheTableIs) {  // F8
  Stand stand;
  json config = stand.config_of_first(1);
  config["bpf"]["new_flow_limit_per_cpu"] = 1;
  stand.serve(config, {"b1"});
  const auto reading = [&] { return stand.daemon.get("/v1/status").at("flow_table"); };
  EXPECT_EQ(reading().at("count_drift"), 0);
  EXPECT_EQ(reading().at("refused"), 0);
  // The limit is reached by connections within one second; each is tried again by its client.
  EXPECT_TRUE(wait_until([&] {
    stand.ask();
    stand.hold(2);
    return reading().at("limited") > 0;
  }));
  EXPECT_TRUE(wait_until([&] { return reading().at("entries") > 0; }));
  EXPECT_THAT(stand.daemon.cli({"status"}).out, HasSubstr("limited"));
}

}  // namespace
}  // namespace rampart::test
