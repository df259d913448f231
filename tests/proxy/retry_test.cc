// SPDX-License-Identifier: Apache-2.0
// Tries and retries, as nodes see them (P2 to P7).
#include <gmock/gmock.h>

#include <chrono>

#include "proxy/stand.h"
#include "support/sockets.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Takes a request and cuts the connection.
bool cut(OriginConnection& connection, const std::string&) {
  connection.reset();
  return false;
}

class RetryTest : public ProxyTest {
 protected:
  std::string post() const {
    Client one = client();
    one.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody");
    const auto reply = one.read();
    return reply ? std::to_string(reply->status) : "nothing";
  }
};

TEST_F(RetryTest, P2_WithoutRetriesSetEachNodeIsTriedOnce) {
  Origin a(cut), b(cut), c(cut);
  serve({node(a), node(b), node(c)});
  EXPECT_EQ(ask(), "502");
  EXPECT_EQ(a.requests(), 1u);
  EXPECT_EQ(b.requests(), 1u);
  EXPECT_EQ(c.requests(), 1u);
  EXPECT_TRUE(wait_until([&] { return is_at_rest(); }));
}

TEST_F(RetryTest, P2_RetriesZeroIsOneTry) {
  Origin a(cut), b(cut);
  serve({node(a), node(b)}, {{"retries", 0}});
  EXPECT_EQ(ask(), "502");
  EXPECT_EQ(a.requests() + b.requests(), 1u);
}

TEST_F(RetryTest, P2_ALoneNodeIsTriedRetriesAndOneTimes) {
  Origin a(cut);
  serve({node(a)}, {{"retries", 3}});
  EXPECT_EQ(ask(), "502");
  EXPECT_EQ(a.requests(), 4u);
}

TEST_F(RetryTest, P2_PastTheRetryTimeoutItIs502) {
  const auto slow = [](OriginConnection& connection, const std::string&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    connection.reset();
    return false;
  };
  Origin a(slow), b(slow), c(slow);
  serve({node(a), node(b), node(c)}, {{"retry_timeout", 0.1}});
  EXPECT_EQ(ask(), "502");
  EXPECT_EQ(a.requests() + b.requests() + c.requests(), 1u);
}

TEST_F(RetryTest, P3_AFailedNodeIsReleasedAndAnotherOneTried) {
  Origin a(cut), b("b");
  serve({node(a), node(b)}, {{"type", "least_conn"}});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(), "b");
  EXPECT_TRUE(wait_until([&] { return is_at_rest(); }));
}

TEST_F(RetryTest, P3_ANodeThatRefusesIsPassedOver) {
  Origin b("b");
  serve({node(unused_port()), node(b)});
  EXPECT_EQ(ask_often(6), (std::map<std::string, int>{{"b", 6}}));
  EXPECT_TRUE(wait_until([&] { return is_at_rest(); }));
}

TEST_F(RetryTest, P4_AllTriedIs502AndNoNodeIs503) {
  serve({node(unused_port()), node(unused_port())});
  EXPECT_EQ(ask(), "502");
  reload({node(unused_port(), 0)});
  EXPECT_EQ(ask(), "503");
  reload({});
  EXPECT_EQ(ask(), "503");
}

TEST_F(RetryTest, P5_ARequestAndItsRetriesUseOneGeneration) {
  std::atomic<bool> reached{false}, go{false};
  Origin a([&](OriginConnection& connection, const std::string&) {
    reached = true;
    static_cast<void>(wait_until([&] { return go.load(); }));
    connection.reset();
    return false;
  });
  Origin b("b"), c("c");
  serve({node(a, 1000), node(b)});
  std::string answer;
  std::thread asking([&] { answer = ask(); });
  // Whichever node it was sent to first.
  if (wait_until([&] { return reached.load() || b.requests() > 0; }) && reached) {
    reload({node(c)});
    go = true;
    asking.join();
    EXPECT_EQ(answer, "b") << "the retry went to a node that its configuration did not have";
    EXPECT_EQ(c.requests(), 0u);
  } else {
    go = true;
    asking.join();
  }
  EXPECT_TRUE(reached);
}

TEST_F(RetryTest, P6_WhatIsNotIdempotentIsNotSentTwice) {
  Origin a(cut), b(cut);
  serve({node(a), node(b)});
  EXPECT_EQ(post(), "502");
  EXPECT_EQ(a.requests() + b.requests(), 1u);
  EXPECT_TRUE(wait_until([&] { return is_at_rest(); }));
}

TEST_F(RetryTest, P6_UnlessItIsAskedFor) {
  Origin a(cut), b("b");
  serve({node(a), node(b)}, {{"retry_non_idempotent", true}});
  EXPECT_EQ(post(), "200");
  EXPECT_EQ(post(), "200");
}

TEST_F(RetryTest, P6_AConnectionThatNeverWasIsTriedAgainForEveryMethod) {
  Origin b("b");
  serve({node(unused_port()), node(b)});
  EXPECT_EQ(post(), "200");
  EXPECT_EQ(post(), "200");
}

// Answers the first request of a connection, and cuts it at the second.
TEST_F(RetryTest, P6_AStaleConnectionIsReplacedOnceInSilence) {
  std::mutex mutex;
  std::map<int, int> served;
  Origin a([&](OriginConnection& connection, const std::string&) {
    bool first = false;
    {
      const std::lock_guard lock(mutex);
      first = served[connection.fd()]++ == 0;
    }
    if (first) return connection.send(ok("a"));
    const std::lock_guard lock(mutex);
    served.erase(connection.fd());
    connection.reset();
    return false;
  });
  serve({node(a)}, {{"retries", 0}});
  EXPECT_EQ(ask(), "a");
  EXPECT_EQ(ask(), "a");
  EXPECT_EQ(a.requests(), 3u);
  EXPECT_EQ(a.connections(), 2u);
}

TEST_F(RetryTest, P7_ALowerPriorityIsOnlyUsedWhenTheHigherIsTriedOrOut) {
  Origin a("a"), b("b");
  json high = node(a), low = node(b);
  high["priority"] = 1;
  serve({high, low});
  EXPECT_EQ(ask_often(5), (std::map<std::string, int>{{"a", 5}}));
  ASSERT_EQ(cli({"maintenance", name_of(a)}).exit_code, 0);
  EXPECT_EQ(ask_often(5), (std::map<std::string, int>{{"b", 5}}));
}

TEST_F(RetryTest, P7_AFailedTryFallsToTheLowerPriority) {
  Origin a(cut), b("b");
  json high = node(a), low = node(b);
  high["priority"] = 1;
  serve({high, low});
  EXPECT_EQ(ask(), "b");
}

TEST_F(RetryTest, ATimeoutOfTheNodeIsAFailedTry) {
  Origin a([](OriginConnection&, const std::string&) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return false;
  });
  Origin b("b");
  serve({node(a), node(b)}, {{"timeout", {{"read", 0.2}}}});
  EXPECT_EQ(ask(), "b");
  EXPECT_EQ(ask(), "b");
  EXPECT_TRUE(wait_until([&] { return is_at_rest(); }));
}

TEST_F(RetryTest, ARequestThatMayNotBeSentTwiceTimesOutAs504) {
  Origin a([](OriginConnection&, const std::string&) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return false;
  });
  Origin b("b");
  serve({node(a, 100), node(b, 1)}, {{"timeout", {{"read", 0.2}}}});
  const std::string first = post();
  EXPECT_TRUE(first == "504" || a.requests() == 0) << first;
}

}  // namespace
}  // namespace rampart::test
