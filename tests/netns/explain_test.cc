// SPDX-License-Identifier: Apache-2.0
// rampart explain: where a packet goes and why, said by the packet program; and why a weight is what
// it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "netns/stand.h"

namespace rampart::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ExplainTest : public NetnsTest {
 protected:
  static json explain(const Stand& stand, const std::string& source) {
    const Finished done = stand.daemon.cli({"explain", "web", "--src", source, "-o", "json"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return json::parse(done.out);
  }
};

// chash: whoever asks first, the slot is the same.
TEST_F(ExplainTest, ANewConnectionGoesWhereItSays) {
  Stand stand;
  json config = stand.config_of_first(2);
  upstream(config)["type"] = "chash";
  stand.serve(config, {"b1", "b2"});
  for (uint16_t port = 20001; port <= 20008; ++port) {
    const std::string client = std::string(kClient) + ":" + std::to_string(port);
    const json said = explain(stand, client);
    EXPECT_EQ(said.at("client"), client);
    EXPECT_THAT(said.at("reason").get<std::string>(), HasSubstr("by the hash of the 5-tuple"));
    const std::string name = stand.bed.client().run([&]() -> std::string {
      auto connection = HttpConnection::to(kVip, 80, port);
      const auto answer = connection ? connection->request("GET", "/") : std::nullopt;
      return answer ? answer->body : "nobody";
    });
    EXPECT_EQ(said.at("backend"), stand.name(name == "b1" ? 1 : 2));
  }
}

TEST_F(ExplainTest, AFlowThatIsKnownIsSaidToBe) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  auto held = stand.bed.client().run([&] {
    auto connection = HttpConnection::to(kVip, 80);
    if (connection) connection->request("GET", "/");
    return connection;
  });
  ASSERT_TRUE(held);
  for (const json& flow : stand.daemon.get("/v1/flows")) {
    if (flow.at("state") != "established") continue;
    const json said = explain(stand, flow.at("client"));
    EXPECT_EQ(said.at("backend"), flow.at("backend"));
    EXPECT_EQ(said.at("flow").at("state"), "established");
    EXPECT_THAT(said.at("reason").get<std::string>(), HasSubstr("keeps its backend"));
  }
}

// What is asked is no packet: none of the flows that were explained has begun.
TEST_F(ExplainTest, AskingBeginsNoFlow) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  const int before = stand.flows("total");
  for (int i = 1; i <= 20; ++i) explain(stand, "198.51.100.7:" + std::to_string(i));
  EXPECT_EQ(stand.flows("total"), before);
  for (const json& flow : stand.daemon.get("/v1/flows")) {
    EXPECT_THAT(flow.at("client").get<std::string>(), testing::StartsWith(kClient));
  }
}

// The backends' arms come first by name; no client comes in by them.
TEST_F(ExplainTest, ThePacketComesInByTheWayBackToItsClient) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  for (int i = 1; i <= 8; ++i) {
    const json said = explain(stand, std::string(kClient) + ":" + std::to_string(i));
    EXPECT_EQ(said.at("interface"), "client");
    EXPECT_EQ(said.at("outcome"), "forward_redirect");
  }
  EXPECT_FALSE(stand.daemon.get("/v1/vips").at(0).at("outcomes").contains("forward_tx"));
  ASSERT_EQ(stand.daemon.cli({"detach", "client"}).exit_code, 0);
  EXPECT_EQ(explain(stand, std::string(kClient) + ":1").at("interface"), "b1");
}

TEST_F(ExplainTest, APacketThatIsDroppedGoesNowhere) {
  Stand stand;
  stand.serve(stand.config_of_first(1), {"b1"});
  json away = stand.config_of_first(1);
  upstream(away)["nodes"][0]["host"] = "10.1.0.77";  // nobody answers for it
  stand.daemon.write(away);
  ASSERT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  const Finished done = stand.daemon.cli({"explain", "web", "--src", "198.51.100.7:40000"});
  EXPECT_THAT(done.out, HasSubstr("nowhere; it would have been web/10.1.0.77"));
  EXPECT_THAT(done.out, HasSubstr("drop_unresolved"));
}

TEST_F(ExplainTest, ForPeople) {
  Stand stand;
  json config = stand.config_of_first(2);
  upstream(config)["slow_start"] = {{"slow_start_time_seconds", 600}, {"min_weight_percent", 10}};
  stand.serve(config, {"b1", "b2"});
  const Finished packet = stand.daemon.cli({"explain", "web", "--src", "198.51.100.7:40000"});
  EXPECT_THAT(packet.out, HasSubstr("A first packet (SYN) from 198.51.100.7:40000 to web"));
  EXPECT_THAT(packet.out, HasSubstr("a new flow: roundrobin, slot"));
  const Finished backend = stand.daemon.cli({"explain", "--backend", stand.name(1)});
  EXPECT_THAT(backend.out, HasSubstr("mature"));
  EXPECT_THAT(backend.out, HasSubstr("full weight"));
  json empty = stand.config_of_first(1);
  upstream(empty)["nodes"][0]["weight"] = 0;
  stand.daemon.write(empty);
  ASSERT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  const Finished nowhere = stand.daemon.cli({"explain", "web", "--src", "198.51.100.7:40000"});
  EXPECT_THAT(nowhere.out, HasSubstr("no backend"));
  EXPECT_THAT(nowhere.out, HasSubstr("drop_no_backend"));
}

TEST_F(ExplainTest, WhatCannotBeAskedIsSaid) {
  Stand stand;
  stand.serve(stand.config_of_first(1), {"b1"});
  struct Wrong {
    std::vector<std::string> arguments;
    int exit_code;
    const char* says;
  };
  for (const Wrong& wrong :
       {Wrong{{"nowhere", "--src", "198.51.100.7:1"}, 1, "there is no VIP with the id nowhere"},
        Wrong{{"web", "--src", "198.51.100.7"}, 2, "src=ADDR:PORT"},
        Wrong{{"web", "--src", "198.51.100.7:0"}, 2, "src=ADDR:PORT"},
        Wrong{{"web", "--src", "[2001:db8::7]:1"}, 2, "another family"},
        Wrong{{"--backend", "web/nobody:1"}, 1, "no backend of the name web/nobody:1"},
        Wrong{{"web"}, 2, "usage: rampart explain"}, Wrong{{}, 2, "usage: rampart explain"},
        Wrong{{"web", "--backend", "b"}, 2, "usage: rampart explain"},
        Wrong{
            {"web", "--src", "198.51.100.7:1", "--force"}, 2, "--force is no option of explain"}}) {
    Command command = {"explain"};
    command.insert(command.end(), wrong.arguments.begin(), wrong.arguments.end());
    const Finished done = stand.daemon.cli(command);
    EXPECT_EQ(done.exit_code, wrong.exit_code) << done.err;
    EXPECT_THAT(done.err, HasSubstr(wrong.says));
  }
}

}  // namespace
}  // namespace rampart::test
