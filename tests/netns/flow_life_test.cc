// SPDX-License-Identifier: Apache-2.0
// A flow from its first packet to its end, through the kernels of a client and of backends: what
// keeps its backend, what ends it, and that each is counted once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <set>
#include <utility>

#include "netns/stand.h"
#include "support/forged.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

using nlohmann::json;

constexpr uint16_t kPort = 20000;          // of the client, where a test looks at one flow
constexpr char kOther[] = "203.0.113.11";  // a second VIP

class FlowLifeTest : public NetnsTest, public ::testing::WithParamInterface<const char*> {
 protected:
  // Two backends, and nobody's flow is counted.
  static void serve(Stand& stand, const json& config) {
    stand.serve(config, {"b1", "b2"});
    ASSERT_TRUE(wait_until([&] { return stand.flows("active") == 0; }));
  }

  // What is said of the one flow of the client's port.
  static json flow_from(const Stand& stand, uint16_t port) {
    const std::string client = std::string(kClient) + ":" + std::to_string(port);
    for (const json& flow : stand.daemon.get("/v1/flows?vip=web")) {
      if (flow.at("client") == client) return flow;
    }
    return {{"state", "none"}};
  }

  // The backends' field, by who answers there.
  static std::map<std::string, int> of_each(const Stand& stand, const json::json_pointer& field) {
    std::map<std::string, int> values;
    for (int number = 1; number <= stand.bed.backends(); ++number) {
      values[Bed::backend_name(number)] =
          stand.daemon.backends().at(stand.name(number)).at(field).get<int>();
    }
    return values;
  }
};

INSTANTIATE_TEST_SUITE_P(Forward, FlowLifeTest, ::testing::Values("nat", "l2"),
                         [](const auto& forward) { return std::string(forward.param); });

const json::json_pointer kActive("/flows/active");
const json::json_pointer kPackets("/packets");

// --- the first packet ----------------------------------------------------------------------------

// F2: the backends have no way to the client at first, so that its kernel sends the SYN again.
TEST_P(FlowLifeTest, ASynThatIsSentAgainIsTheSameFlowAndItsConnectionComesToBe) {
  Stand stand({.forward = GetParam()});
  ASSERT_NO_FATAL_FAILURE(serve(stand, stand.config_of_first(2)));
  const auto the_way_back = [&](const std::string& change) {
    for (const int number : {1, 2}) {
      stand.bed.backend(number).ip({"route " + change + " blackhole " + kClient});
    }
  };
  const auto packets = [&] {
    const auto each = of_each(stand, kPackets);
    return each.at("b1") + each.at("b2");
  };
  const auto before = of_each(stand, kPackets);
  const int sent = packets(), total = stand.flows("total");

  the_way_back("add");
  auto opening = std::async(std::launch::async, [&] { return stand.hold(1); });
  EXPECT_TRUE(wait_until([&] { return packets() >= sent + 3; }));
  EXPECT_EQ(stand.flows("active"), 1);
  the_way_back("delete");

  std::vector<HttpConnection> held = opening.get();
  ASSERT_EQ(held.size(), 1u);
  const std::string name = who_answers(held).front();
  const std::string other = name == "b1" ? "b2" : "b1";
  EXPECT_EQ(of_each(stand, kPackets).at(other), before.at(other));
  EXPECT_EQ(stand.flows("total"), total + 1);
  EXPECT_EQ(stand.flows("active"), 1);
}

// F2, F6: without TIME_WAIT the client's kernel lets go of a port as soon as its connection ends.
TEST_P(FlowLifeTest, APortUsedAgainAtOnceBeginsAFlowEachTime) {
  constexpr int kTimes = 60;
  Stand stand({.forward = GetParam()});
  ASSERT_NO_FATAL_FAILURE(serve(stand, stand.config_of_first(2)));
  stand.bed.client().set("ipv4/tcp_max_tw_buckets", "0");
  const int total = stand.flows("total");
  stand.bed.client().run([&] {
    for (int time = 0; time < kTimes; ++time) {
      auto connection = HttpConnection::to(kVip, 80, kPort);
      ASSERT_TRUE(connection) << time;
      EXPECT_TRUE(connection->request("GET", "/")) << time;
      if (time % 2 == 0) {
        connection->abort();
      } else {
        EXPECT_TRUE(connection->finish()) << time;
      }
    }
  });
  EXPECT_EQ(stand.flows("total"), total + kTimes);
  EXPECT_TRUE(wait_until([&] { return stand.flows("active") == 0; }));
}

// --- forged ends ---------------------------------------------------------------------------------

// A connection from kPort, and a segment that somebody else sends in its name.
class ForgedEndTest : public FlowLifeTest {
 protected:
  void begin(const Stand& stand) {
    stand.bed.client().run([&] { connection_ = HttpConnection::to(kVip, 80, kPort); });
    ASSERT_TRUE(connection_);
    name_ = answer();
    backend_ = flow_from(stand, kPort).at("backend");
    ASSERT_EQ(backend_, stand.name(name_ == "b1" ? 1 : 2));
  }

  std::string answer() {
    const auto got = connection_->request("GET", "/");
    return got ? got->body : "nobody";
  }

  // The flow ends for the table, and once data comes it is what it was.
  void expect_revival_after(const Stand& stand, uint8_t flags) {
    forge(stand, flags);
    EXPECT_TRUE(wait_until([&] { return flow_from(stand, kPort).at("state") == "closing"; }));
    EXPECT_EQ(stand.flows("active"), 0);
    EXPECT_EQ(answer(), name_);
    const json flow = flow_from(stand, kPort);
    EXPECT_EQ(flow.at("state"), "established");
    EXPECT_EQ(flow.at("revived"), true);
    EXPECT_EQ(flow.at("backend"), backend_);
    EXPECT_EQ(stand.flows("active"), 1);
  }

  void expect_end(const Stand& stand, int total) {
    EXPECT_TRUE(connection_->finish());
    EXPECT_TRUE(wait_until([&] { return stand.flows("active") == 0; }));
    EXPECT_EQ(stand.flows("total"), total);
    EXPECT_EQ(stand.flow_table("count_drift"), 0);
  }

  static void forge(const Stand& stand, uint8_t flags) {
    stand.bed.client().run([&] { forge_segment(kPort, kVip, 80, flags); });
  }

  std::optional<HttpConnection> connection_;
  std::string name_;     // who answers
  std::string backend_;  // its name in the daemon
};

INSTANTIATE_TEST_SUITE_P(Forward, ForgedEndTest, ::testing::Values("nat", "l2"),
                         [](const auto& forward) { return std::string(forward.param); });

// F6: a second one takes the count for good, but never the backend.
TEST_P(ForgedEndTest, ARstEndsAConnectionForTheTableOnlyUntilItsNextData) {
  Stand stand({.forward = GetParam()});
  ASSERT_NO_FATAL_FAILURE(serve(stand, stand.config_of_first(2)));
  const int total = stand.flows("total");
  ASSERT_NO_FATAL_FAILURE(begin(stand));
  expect_revival_after(stand, TH_RST);

  forge(stand, TH_RST);
  EXPECT_TRUE(wait_until([&] { return flow_from(stand, kPort).at("state") == "closing"; }));
  EXPECT_EQ(answer(), name_);
  EXPECT_EQ(flow_from(stand, kPort).at("state"), "closing");
  EXPECT_EQ(stand.flow_table("revived"), 1);
  expect_end(stand, total + 1);
}

// F6: where replies go past the balancer, the client's FIN is the end that can be seen.
TEST_F(ForgedEndTest, AFinInL2EndsAConnectionForTheTableOnlyUntilItsNextData) {
  Stand stand({.forward = "l2"});
  ASSERT_NO_FATAL_FAILURE(serve(stand, stand.config_of_first(2)));
  const int total = stand.flows("total");
  ASSERT_NO_FATAL_FAILURE(begin(stand));
  expect_revival_after(stand, TH_FIN | TH_ACK);
  expect_end(stand, total + 1);
}

// F6: in nat both FINs are the end, and the backend did not send its own.
TEST_F(ForgedEndTest, AFinInNatEndsNothing) {
  Stand stand;
  ASSERT_NO_FATAL_FAILURE(serve(stand, stand.config_of_first(2)));
  const int total = stand.flows("total");
  ASSERT_NO_FATAL_FAILURE(begin(stand));
  const int packets = of_each(stand, kPackets).at(name_);
  forge(stand, TH_FIN | TH_ACK);
  EXPECT_TRUE(wait_until([&] { return of_each(stand, kPackets).at(name_) > packets; }));
  const auto expect_untouched = [&] {
    const json flow = flow_from(stand, kPort);
    EXPECT_EQ(flow.at("state"), "established");
    EXPECT_EQ(flow.at("revived"), false);
    EXPECT_EQ(stand.flows("active"), 1);
  };
  expect_untouched();
  EXPECT_EQ(answer(), name_);
  expect_untouched();
  expect_end(stand, total + 1);
}

// --- backends that go, VIPs that share them ------------------------------------------------------

// F3, F5: the timeout keeps the flows that found the backends counted.
TEST_P(FlowLifeTest, AUdpFlowOfARemovedBackendMovesOnceTheDrainIsOver) {
  Stand stand({.forward = GetParam(), .protocol = "udp"});
  const auto config_of = [&](const std::vector<int>& numbers) {
    json nodes = json::array();
    for (const int number : numbers) nodes.push_back(stand.node(number));
    json config = stand.config(nodes);
    vip(config)["drain_timeout"] = 1;
    vip(config)["timeouts"] = {{"udp", 600}};
    return config;
  };
  stand.serve(config_of({1, 2}), {"b1", "b2"});
  UdpFlow flow = stand.bed.client().run([] { return UdpFlow(kVip, 80); });
  const int leaver = flow.ask() == "b1" ? 1 : 2, other = 3 - leaver;
  const int at_other = of_each(stand, kActive).at(Bed::backend_name(other));

  stand.daemon.write(config_of({other}));
  ASSERT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  EXPECT_TRUE(wait_until([&] {
    const auto answer = flow.ask();
    EXPECT_TRUE(answer);
    const bool moved = answer == Bed::backend_name(other);
    const bool drains = stand.daemon.backends().contains(stand.name(leaver));
    EXPECT_FALSE(moved && drains);
    return moved;
  }));

  // Then the count that the leaver had is free for the next newcomer, which is the leaver again.
  const int entries_of_a_flow = stand.options.forward == "nat" ? 2 : 1;
  EXPECT_TRUE(wait_until(
      [&] { return stand.flow_table("entries") == entries_of_a_flow * (at_other + 1); }));
  stand.daemon.write(config_of({1, 2}));
  ASSERT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  EXPECT_EQ(flow.ask(), Bed::backend_name(other));
  EXPECT_EQ(of_each(stand, kActive),
            (std::map<std::string, int>{{Bed::backend_name(leaver), 0},
                                        {Bed::backend_name(other), at_other + 1}}));
}

// F11: by hash both VIPs choose the same node for half of the ports; then one takes the other node.
TEST_F(FlowLifeTest, TwoVipsOfOneUpstreamNeverMeetAtANodeWithOneClientPort) {
  constexpr uint16_t kFirst = 20001, kLast = 20100;
  constexpr size_t kFlows = 2 * (kLast - kFirst + 1);
  Stand stand;
  json config = stand.config_of_first(2);
  upstream(config)["type"] = "chash";
  config["vips"].push_back(vip(config));
  config["vips"][1]["id"] = "other";
  config["vips"][1]["address"] = kOther;
  ASSERT_NO_FATAL_FAILURE(serve(stand, config));

  std::vector<HttpConnection> held;
  stand.bed.client().run([&] {
    for (uint16_t port = kFirst; port <= kLast; ++port) {
      for (const char* address : {kVip, kOther}) {
        auto connection = HttpConnection::to(address, 80, port);
        ASSERT_TRUE(connection && connection->request("GET", "/")) << address << " from " << port;
        held.push_back(std::move(*connection));
      }
    }
  });
  EXPECT_THAT(who_answers(held), testing::Not(testing::Contains("nobody")));
  std::set<std::pair<std::string, std::string>> ends;
  for (const json& flow : stand.daemon.get("/v1/flows")) {
    if (flow.at("state") != "established") continue;
    EXPECT_TRUE(ends.emplace(flow.at("client"), flow.at("backend")).second) << flow.dump();
  }
  EXPECT_EQ(ends.size(), kFlows);
  EXPECT_EQ(stand.flows("active"), static_cast<int>(kFlows));
  held.clear();
  EXPECT_TRUE(wait_until([&] { return stand.flows("active") == 0; }));
}

}  // namespace
}  // namespace rampart::test
