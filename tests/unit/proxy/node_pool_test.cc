// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "proxy/node_connection.h"
#include "support/memory_stream.h"

namespace rampart::proxy {
namespace {

using std::chrono::seconds;

class NodePoolTest : public testing::Test {
 protected:
  struct User final : StreamOwner {
    void on_established() override {}
    void on_readable() override { ++readable; }
    void on_writable() override {}
    int readable = 0;
  };

  static NodeKey key(uint16_t port) {
    return {{boost::asio::ip::address_v4::loopback(), port}, nullptr};
  }
  std::shared_ptr<test::MemoryWire> put(const NodeKey& where) {
    auto wire = loop_.add();
    pool_.put(std::make_shared<NodeConnection>(where, std::make_unique<test::MemoryStream>(wire)));
    return wire;
  }
  void turn(Duration time) {
    const TimePoint end = wheel_.now() + time;
    while (wheel_.now() < end) wheel_.turn(wheel_.now() + kTick);
  }

  test::MemoryLoop loop_;
  TimerWheel wheel_{TimePoint(std::chrono::hours(1))};
  NodePool pool_{wheel_};
};

TEST_F(NodePoolTest, HasNothingAtFirst) {
  EXPECT_EQ(pool_.take(key(1)), nullptr);
  EXPECT_EQ(pool_.size(), 0u);
}

TEST_F(NodePoolTest, GivesTheOneThatWasPutThereLast) {
  const auto first = put(key(1));
  const auto last = put(key(1));
  put(key(2));
  EXPECT_EQ(pool_.size(), 3u);
  const auto taken = pool_.take(key(1));
  ASSERT_NE(taken, nullptr);
  EXPECT_TRUE(taken->used());
  EXPECT_EQ(pool_.size(), 2u);
  taken->stream().close();
  EXPECT_TRUE(last->closed);
  EXPECT_FALSE(first->closed);
}

TEST_F(NodePoolTest, DropsAConnectionThatEnds) {  // P6
  const auto wire = put(key(1));
  wire->peer_ended = true;
  loop_.run();
  EXPECT_EQ(pool_.size(), 0u);
  EXPECT_TRUE(wire->closed);
  EXPECT_EQ(pool_.take(key(1)), nullptr);
}

TEST_F(NodePoolTest, DropsAConnectionThatSpeaksOutOfTurn) {
  const auto silent = put(key(1));
  const auto loud = put(key(1));
  loud->to_proxy = "HTTP/1.1 408 Request Timeout\r\n\r\n";
  loop_.run();
  EXPECT_EQ(pool_.size(), 1u);
  EXPECT_TRUE(loud->closed);
  EXPECT_FALSE(silent->closed);
}

TEST_F(NodePoolTest, DropsAConnectionThatNobodyWantsForLong) {
  const auto wire = put(key(1));
  turn(seconds(59));
  EXPECT_EQ(pool_.size(), 1u);
  turn(seconds(2));
  EXPECT_EQ(pool_.size(), 0u);
  EXPECT_TRUE(wire->closed);
}

TEST_F(NodePoolTest, LeavesAConnectionThatWasTakenToItsUser) {
  const auto wire = put(key(1));
  const auto taken = pool_.take(key(1));
  User user;
  taken->take(user);
  turn(seconds(120));
  EXPECT_FALSE(wire->closed);
  wire->to_proxy = "x";
  loop_.step();  // it was waited for in the pool
  EXPECT_EQ(user.readable, 1);
  EXPECT_FALSE(wire->closed);
  taken->give_up();
  EXPECT_TRUE(wire->closed);
}

TEST_F(NodePoolTest, KeepsOnlyThoseWithAnAddressThatIsPublished) {
  const auto stays = put(key(1));
  const auto goes = put(key(2));
  pool_.keep_only({key(1), key(3)});
  EXPECT_EQ(pool_.size(), 1u);
  EXPECT_FALSE(stays->closed);
  EXPECT_TRUE(goes->closed);
}

TEST_F(NodePoolTest, KeepsABoundedNumber) {
  constexpr size_t kMany = 1024;
  for (size_t i = 0; i < kMany; ++i) put(key(1));
  EXPECT_TRUE(put(key(1))->closed);
  EXPECT_EQ(pool_.size(), kMany);
  EXPECT_FALSE(put(key(2))->closed);
}

TEST_F(NodePoolTest, ClosesAllAtItsEnd) {
  const auto wire = put(key(1));
  pool_.clear();
  EXPECT_TRUE(wire->closed);
  EXPECT_EQ(pool_.size(), 0u);
}

}  // namespace
}  // namespace rampart::proxy
