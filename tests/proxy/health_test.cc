// SPDX-License-Identifier: Apache-2.0
// What requests and checks show of nodes, and what becomes of their share (H1 to H6).
#include <gmock/gmock.h>

#include <atomic>

#include "proxy/stand.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

using nlohmann::json;

// Answers requests with `broken` as 500, its own checks always as 200.
class Flaky {
 public:
  explicit Flaky(const std::string& name)
      : origin_([this, name](OriginConnection& connection, const std::string& head) {
          const bool check = head.starts_with("GET /check");
          if (broken && !check) {
            return connection.send("HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n");
          }
          if (checks_fail && check) {
            return connection.send("HTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n");
          }
          return connection.send(ok(name));
        }) {}
  const Origin& origin() const { return origin_; }

  std::atomic<bool> broken{false}, checks_fail{false};

 private:
  Origin origin_;
};

class HttpHealthTest : public ProxyTest {
 protected:
  static json checks(const json& passive) {
    json made = {{"active",
                  {{"type", "http"},
                   {"http_path", "/check"},
                   {"healthy", {{"interval", 1}, {"successes", 1}}},
                   {"unhealthy", {{"interval", 1}, {"http_failures", 1}}}}}};
    if (!passive.is_null()) made["passive"] = passive;
    return made;
  }
  std::string state_of(const Origin& origin) const {
    for (const json& one : get("/v1/backends")) {
      if (one["name"] == name_of(origin)) return one["state"];
    }
    return "unknown";
  }
};

// fasthttp issue 865: a node that fails fast looks idle to least_conn, and would get everything.
TEST_F(HttpHealthTest, H1_ANodeThatFailsFastIsTakenOutByWhatRequestsShow) {
  Flaky a("a"), b("b");
  a.broken = true;
  serve({node(a.origin()), node(b.origin())},
        {{"type", "least_conn"},
         {"checks", checks({{"unhealthy", {{"http_failures", 3}, {"http_statuses", {500}}}}})}});
  EXPECT_TRUE(wait_until([&] { return ask() == "b" && state_of(a.origin()) == "down"; }));
  // Its own checks pass, so it comes back by them (and goes again).
  a.broken = false;
  EXPECT_TRUE(wait_until([&] { return state_of(a.origin()) == "mature"; }));
  EXPECT_TRUE(wait_until([&] { return ask() == "a"; }));
}

TEST_F(HttpHealthTest, H4_ASuccessForgetsTheFailuresBefore) {
  std::atomic<int> count{0};
  Origin a([&](OriginConnection& connection, const std::string& head) {
    if (head.starts_with("GET /check")) return connection.send(ok("check"));
    const bool fails = count++ % 3 != 2;  // two of three
    return connection.send(fails ? "HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n" : ok("a"));
  });
  Origin b("b");
  serve({node(a), node(b)},
        {{"checks", checks({{"unhealthy", {{"http_failures", 3}, {"http_statuses", {500}}}}})}});
  ask_often(40);
  EXPECT_EQ(state_of(a), "mature");
}

TEST_F(HttpHealthTest, H1_ConnectionsThatFailAreReportsToo) {
  Origin b("b");
  const uint16_t nobody = unused_port();
  serve({node(nobody), node(b)},
        {{"checks",
          {{"active",
            {{"type", "tcp"},
             {"healthy", {{"interval", 1000}}},
             {"unhealthy", {{"interval", 1000}, {"tcp_failures", 100}}}}},
           {"passive", {{"type", "http"}, {"unhealthy", {{"tcp_failures", 2}}}}}}}});
  ask_often(6);
  EXPECT_TRUE(wait_until([&] {
    for (const json& one : get("/v1/backends")) {
      if (one["port"] == nobody && one["state"] == "down") return true;
    }
    return false;
  }));
}

TEST_F(HttpHealthTest, H1_AResponseThatBreaksOffIsAFailureAndNoSuccess) {
  Origin a([](OriginConnection& connection, const std::string& head) {
    if (head.starts_with("GET /check")) return connection.send(ok("check"));
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome");
    return false;
  });
  Origin b("b");
  json made = checks({{"unhealthy", {{"tcp_failures", 3}}}});
  made["active"]["unhealthy"]["interval"] = 1000;
  serve({node(a), node(b)}, {{"checks", made}});
  ask_often(8);
  EXPECT_TRUE(wait_until([&] { return state_of(a) == "down"; }));
}

TEST_F(HttpHealthTest, H2_AnActiveCheckTakesANodeOutAndBringsItBack) {
  Flaky a("a"), b("b");
  serve({node(a.origin()), node(b.origin())}, {{"checks", checks(nullptr)}});
  a.checks_fail = true;
  ASSERT_TRUE(wait_until([&] { return state_of(a.origin()) == "down"; }));
  EXPECT_EQ(ask_often(6), (std::map<std::string, int>{{"b", 6}}));
  a.checks_fail = false;
  ASSERT_TRUE(wait_until([&] { return state_of(a.origin()) == "mature"; }));
  EXPECT_EQ(ask_often(6), (std::map<std::string, int>{{"a", 3}, {"b", 3}}));
}

// S3.3, S2: a node that joins under load begins with its floor.
TEST_F(HttpHealthTest, S3_3_ANewNodeBeginsSmall) {
  Origin a("a"), b("b");
  serve({node(a, 100)},
        {{"slow_start", {{"slow_start_time_seconds", 600}, {"min_weight_percent", 1}}}});
  ask_often(5);
  reload({node(a, 100), node(b, 100)});
  const auto counts = ask_often(202);
  EXPECT_LE(counts.count("b") == 0 ? 0 : counts.at("b"), 6);
  EXPECT_EQ(state_of(b), "ramping");
  EXPECT_EQ(state_of(a), "mature");
}

// P1: a generation a second starves no light node.
TEST_F(HttpHealthTest, P1_AReweightKeepsEachNodesProgress) {
  Origin a("a"), b("b");
  serve({node(a, 9), node(b, 1)});
  std::map<std::string, int> counts;
  for (int round = 0; round < 10; ++round) {
    for (const auto& [name, times] : ask_often(5)) counts[name] += times;
    reload({node(a, 9 + 9 * ((round + 1) % 2)), node(b, 1 + (round + 1) % 2)});
  }
  EXPECT_NEAR(counts["b"], 5, 1);
}

// P8: a key goes to one node, and back to it.
TEST_F(HttpHealthTest, P8_AKeyStaysWithItsNodeAndComesBack) {
  Origin a("a"), b("b"), c("c");
  serve({node(a), node(b), node(c)}, {{"type", "chash"}, {"hash_on", "header"}, {"key", "X-User"}});
  const auto owner = [&](int user) {
    return client().get("/", "X-User: u" + std::to_string(user) + "\r\n")->body;
  };
  std::map<int, std::string> owners;
  for (int user = 0; user < 40; ++user) owners[user] = owner(user);
  ASSERT_EQ(cli({"maintenance", name_of(a)}).exit_code, 0);
  for (const auto& [user, name] : owners) {
    if (name == "a") {
      EXPECT_NE(owner(user), "a");
    } else {
      EXPECT_EQ(owner(user), name) << "only keys of the node that is out move";
    }
  }
  ASSERT_EQ(cli({"ready", name_of(a)}).exit_code, 0);
  for (const auto& [user, name] : owners) EXPECT_EQ(owner(user), name);
}

}  // namespace
}  // namespace rampart::test
