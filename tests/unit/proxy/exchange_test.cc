// SPDX-License-Identifier: Apache-2.0
// Requests through a whole worker, without sockets.
#include "proxy/exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/odd_requests.h"
#include "support/proxy_bed.h"

namespace rampart::test {
namespace {

using proxy::TryEnd;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGet = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr const char* kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class ExchangeTest : public testing::Test {
 protected:
  // A client that has sent this.
  ProxyBed::Wire client(const std::string& bytes) {
    auto wire = bed_.connect_client();
    send(*wire, bytes);
    return wire;
  }
  void send(MemoryWire& wire, const std::string& bytes) {
    wire.to_proxy += bytes;
    EXPECT_TRUE(bed_.run());
  }
  MemoryWire& node(size_t index = 0) { return *bed_.node_wires().at(index); }
  void TearDown() override {
    bed_.close_all();
    EXPECT_EQ(bed_.in_flight(), 0u);
    EXPECT_EQ(bed_.clients(), 0u);
  }

  ProxyBed bed_;
};

TEST_F(ExchangeTest, AnswersWithWhatTheNodeSays) {
  bed_.on_request = answer_each;
  const auto wire = client(kGet);
  EXPECT_THAT(wire->from_proxy, HasSubstr("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(wire->from_proxy.ends_with("\r\n\r\nok"));
  ASSERT_EQ(bed_.requests().size(), 1u);
  EXPECT_EQ(bed_.requests()[0].target, "/a");
  EXPECT_EQ(bed_.requests()[0].bytes_out, 2u);
  EXPECT_FALSE(wire->closed || wire->finished);
  EXPECT_EQ(bed_.pool().size(), 1u);
}

TEST_F(ExchangeTest, UsesAKeptConnectionAgain) {
  bed_.on_request = answer_each;
  client(std::string(kGet) + kGet + kGet);
  EXPECT_EQ(bed_.requests().size(), 3u);
  EXPECT_LE(bed_.node_wires().size(), 2u);
}

TEST_F(ExchangeTest, TriesAnotherNodeWhenOneRefuses) {  // P2 P3
  int connections = 0;
  bed_.on_connect = [&](MemoryWire& wire) {
    if (connections++ == 0) wire.establishing = MemoryWire::Establishing::kRefused;
  };
  bed_.on_request = answer_each;
  const auto wire = client(kGet);
  EXPECT_THAT(wire->from_proxy, HasSubstr(" 200 OK"));
  ASSERT_EQ(bed_.tries().size(), 2u);
  EXPECT_EQ(bed_.tries()[0].end, TryEnd::kRefused);
  EXPECT_NE(bed_.tries()[0].node, bed_.tries()[1].node);
}

TEST_F(ExchangeTest, AllTriedIs502) {  // P4
  bed_.on_connect = [](MemoryWire& wire) {
    wire.establishing = MemoryWire::Establishing::kRefused;
  };
  EXPECT_THAT(client(kGet)->from_proxy, HasSubstr(" 502 "));
  EXPECT_EQ(bed_.tries().size(), 2u);
}

TEST_F(ExchangeTest, ReplaysNoPostThatWentOut) {  // P6
  bed_.on_request = [](MemoryWire& wire) { wire.failed = !wire.taken().empty(); };
  const auto wire = client("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx");
  EXPECT_THAT(wire->from_proxy, HasSubstr(" 502 "));
  EXPECT_EQ(bed_.node_wires().size(), 1u);
}

TEST_F(ExchangeTest, TriesAStaleConnectionsNodeAgain) {  // P6
  bed_.on_request = answer_each;
  const auto wire = client(kGet);
  ASSERT_EQ(bed_.pool().size(), 1u);
  wire->taken();
  node().failed = true;
  node().for_readable = nullptr;  // the close crosses with the request
  send(*wire, kGet);
  EXPECT_THAT(wire->from_proxy, HasSubstr(" 200 OK"));
}

TEST_F(ExchangeTest, ANodeThatDoesNotAnswerIsATimeout) {
  const auto wire = client("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx");
  bed_.pass(seconds(29));
  EXPECT_EQ(wire->from_proxy, "");
  bed_.pass(seconds(2));
  EXPECT_THAT(wire->from_proxy, HasSubstr(" 504 "));
}

TEST_F(ExchangeTest, AnIncompleteHeadIs408) {
  const auto wire = client("GET / HT");
  bed_.pass(seconds(61));
  EXPECT_THAT(wire->from_proxy, HasSubstr(" 408 "));
}

TEST_F(ExchangeTest, AnIdleClientIsClosed) {
  bed_.on_request = answer_each;
  const auto wire = client(kGet);
  bed_.pass(seconds(74));
  EXPECT_FALSE(wire->closed);
  bed_.pass(seconds(2));
  EXPECT_TRUE(wire->closed);
}

TEST_F(ExchangeTest, AnIdleClientThatWasSlowToReadIsClosedToo) {
  bed_.on_request = answer_each;
  auto wire = bed_.connect_client();
  wire->room = 3;
  send(*wire, kGet);
  wire->room = kNoBound;
  bed_.run();
  ASSERT_TRUE(wire->from_proxy.ends_with("ok"));
  bed_.pass(seconds(80));
  EXPECT_TRUE(wire->closed);
}

TEST_F(ExchangeTest, ASlowClientIsNotTheNodesFault) {
  auto wire = bed_.connect_client();
  wire->room = 10;
  send(*wire, kGet);
  send(node(), "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
  bed_.pass(seconds(40));  // more than a node has for a read, less than a client has for a write
  wire->room = kNoBound;
  bed_.run();
  send(node(), "cd");
  EXPECT_TRUE(wire->from_proxy.ends_with("abcd"));
  ASSERT_EQ(bed_.requests().size(), 1u);
  EXPECT_FALSE(bed_.requests()[0].cut);
}

TEST_F(ExchangeTest, ANodeThatStopsAfterASlowClientReadIsATimeout) {
  auto wire = bed_.connect_client();
  wire->room = 10;
  send(*wire, kGet);
  send(node(), "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
  wire->room = kNoBound;
  bed_.run();
  bed_.pass(seconds(31));
  EXPECT_TRUE(wire->closed);
}

TEST_F(ExchangeTest, WhatIsBehindABodyIsNoPartOfIt) {
  bed_.on_connect = [](MemoryWire& wire) {
    wire.establishing = MemoryWire::Establishing::kPending;
  };
  bed_.on_request = answer_each;
  auto wire = bed_.connect_client();
  wire->to_proxy = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n";
  wire->to_proxy += "hello" + repeated(kGet, 4000);
  wire->most_read = 65000;
  bed_.run();
  bed_.on_connect = [](MemoryWire&) {};
  node().establishing = MemoryWire::Establishing::kDone;
  bed_.run();
  EXPECT_EQ(bed_.requests().size(), 4001u);
  EXPECT_THAT(wire->from_proxy, Not(HasSubstr(" 400 ")));
}

TEST_F(ExchangeTest, ACodingThatIsNotKnownIsABadAnswer) {
  const auto wire = client(kGet);
  send(node(), "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nxxx");
  node().peer_ended = true;
  bed_.run();
  EXPECT_THAT(wire->from_proxy, Not(HasSubstr("xxx")));
  EXPECT_EQ(bed_.tries().at(0).end, TryEnd::kBadAnswer);
}

TEST_F(ExchangeTest, FramesAResponseWithoutAnEndOfItsOwn) {
  const auto wire = client(kGet);
  send(node(), "HTTP/1.1 200 OK\r\n\r\nabc");
  node().peer_ended = true;
  bed_.run();
  EXPECT_THAT(wire->from_proxy, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_TRUE(wire->from_proxy.ends_with("3\r\nabc\r\n0\r\n\r\n"));
  EXPECT_FALSE(wire->closed || wire->finished);
}

TEST_F(ExchangeTest, AResponseThatBreaksOffBreaksOffForTheClientToo) {
  const auto wire = client(kGet);
  send(node(), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  node().peer_ended = true;
  bed_.run();
  EXPECT_TRUE(wire->closed);
  EXPECT_FALSE(wire->from_proxy.ends_with("0\r\n\r\n"));
  EXPECT_TRUE(bed_.requests().at(0).cut);
}

TEST_F(ExchangeTest, AClientThatLeavesEndsItsRequest) {
  const auto wire = client(kGet);
  EXPECT_EQ(bed_.in_flight(), 2u);  // the load, and least_conn's count
  wire->peer_ended = true;
  bed_.run();
  EXPECT_EQ(bed_.in_flight(), 0u);
  EXPECT_TRUE(node().closed);
  EXPECT_TRUE(bed_.requests().at(0).cut);
}

TEST_F(ExchangeTest, ATunnelEndsEachSideByItself) {
  const auto wire =
      client("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nearly");
  send(node(), "HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nfirst");
  EXPECT_TRUE(wire->from_proxy.ends_with("first"));
  EXPECT_TRUE(node().from_proxy.ends_with("early"));
  bed_.pass(seconds(600));
  wire->peer_ended = true;
  bed_.run();
  EXPECT_TRUE(node().finished);
  EXPECT_EQ(bed_.in_flight(), 2u);
  send(node(), "last");
  EXPECT_TRUE(wire->from_proxy.ends_with("last"));
  node().peer_ended = true;
  bed_.run();
  EXPECT_EQ(bed_.in_flight(), 0u);
  ASSERT_EQ(bed_.requests().size(), 1u);
  EXPECT_EQ(bed_.requests()[0].status, 101);
}

TEST_F(ExchangeTest, DrainingEndsIdleClientsAndLetsOthersFinish) {
  const auto busy = client(kGet);
  const auto idle = client("");
  bed_.drain(seconds(10));
  EXPECT_TRUE(idle->closed);
  send(node(), kOk);
  EXPECT_THAT(busy->from_proxy, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(busy->finished);
}

}  // namespace
}  // namespace rampart::test
