// SPDX-License-Identifier: Apache-2.0
// The program as it is run: reloads under load, signals, logs, TLS, metrics.
#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <list>
#include <sstream>
#include <thread>

#include "proxy/stand.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class RunningTest : public ProxyTest {
 protected:
  std::string log_file() const { return folder_.path() / "access.log"; }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
};

TEST_F(RunningTest, C4_ReloadsUnderLoadLoseNothing) {
  Origin a("a"), b("b");
  config_["http"]["workers"] = 2;
  serve({node(a), node(b)});
  std::atomic<bool> ending{false};
  std::atomic<int> answered{0}, failed{0};
  std::list<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      Client kept = client();
      while (!ending) {
        const auto reply = kept.get("/");
        reply && reply->status == 200 ? ++answered : ++failed;
        if (!reply) return;
      }
    });
  }
  for (int i = 0; i < 20; ++i)
    reload(i % 2 == 0 ? std::vector{node(a)} : std::vector{node(a), node(b)});
  ending = true;
  for (std::thread& one : clients) one.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GT(answered, 100);
  EXPECT_TRUE(wait_until([&] { return is_at_rest(); }));
}

TEST_F(RunningTest, C3_ABadFileAtReloadChangesNothing) {
  Origin a("a");
  serve({node(a)});
  config_["routes"][0]["uri"] = "no path";
  write();
  const Finished refused = cli({"reload"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("routes[0].uri"));
  EXPECT_EQ(ask(), "a");
  EXPECT_EQ(get("/v1/status")["last_reload"]["successful"], false);
}

TEST_F(RunningTest, WhatThisVersionDoesNotDoIsRefusedAndNotIgnored) {
  Origin a("a");
  config_["http"]["listeners"][0]["proxy_protocol"] = true;
  config_["upstreams"] = {{{"id", "web"}, {"nodes", {node(a)}}}};
  config_["routes"] = {{{"id", "all"}, {"uri", "/*"}, {"upstream_id", "web"}}};
  write();
  const Finished refused =
      run({program("rampart-http"), "--config", folder_.path() / "rampart.yaml"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("proxy_protocol: true: not supported"));
}

TEST_F(RunningTest, P8_AKeyThatIsNoVariableIsRefused) {
  config_["upstreams"] = {{{"id", "web"},
                           {"nodes", json::array()},
                           {"type", "chash"},
                           {"hash_on", "vars"},
                           {"key", "urt"}}};
  config_["routes"] = {{{"id", "all"}, {"uri", "/*"}, {"upstream_id", "web"}}};
  write();
  const Finished refused =
      run({program("rampart-http"), "--config", folder_.path() / "rampart.yaml"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("\"urt\", which is no variable"));
}

TEST_F(RunningTest, AListenerThatIsTakenAwayClosesAndTheOthersStay) {
  Origin a("a");
  const uint16_t second = unused_port();
  config_["http"]["listeners"].push_back({{"address", "127.0.0.1"}, {"port", second}});
  serve({node(a)});
  EXPECT_EQ(Client(second).get("/")->body, "a");
  Client idle(second);
  ASSERT_TRUE(idle.get("/"));
  config_["http"]["listeners"].erase(1);
  write();
  ASSERT_EQ(cli({"reload"}).exit_code, 0);
  EXPECT_TRUE(wait_until([&] { return !Client(second).get("/"); }));
  EXPECT_EQ(ask(), "a");
}

TEST_F(RunningTest, SigtermLetsARequestEndAndThenStops) {
  std::atomic<bool> go{false};
  Origin a([&](OriginConnection& connection, const std::string&) {
    static_cast<void>(wait_until([&] { return go.load(); }));
    return connection.send(ok("late"));
  });
  serve({node(a)});
  Client waiting = client();
  waiting.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(wait_until([&] { return active() == 1; }));
  process_->signal(SIGTERM);
  ASSERT_TRUE(wait_until([&] { return client().fd() < 0; })) << "it still accepts";
  go = true;
  const auto reply = waiting.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "late");
  EXPECT_EQ(process_->wait_exit(), 0);
}

TEST_F(RunningTest, SigtermEndsWhatDoesNotEndByItself) {
  Origin a([&](OriginConnection& connection, const std::string&) {
    connection.read_head();
    return false;
  });
  config_["http"]["drain_timeout"] = 1;
  serve({node(a)});
  Client waiting = client();
  waiting.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(wait_until([&] { return active() == 1; }));
  process_->signal(SIGTERM);
  EXPECT_EQ(process_->wait_exit(), 0);
  EXPECT_TRUE(waiting.ended());
}

TEST_F(RunningTest, O7_ASecondOneOfTheInstanceIsRefused) {
  Origin a("a");
  serve({node(a)});
  const Finished second =
      run({program("rampart-http"), "--config", folder_.path() / "rampart.yaml"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("another rampart-http runs the instance t"));
}

TEST_F(RunningTest, S3_21_ARampGoesOnOverARestart) {
  Origin a("a"), b("b");
  serve({node(a), node(b)},
        {{"slow_start", {{"slow_start_time_seconds", 600}, {"min_weight_percent", 1}}}});
  Origin c("c");
  reload({node(a), node(b), node(c)});
  const auto start_of = [&] {
    for (const json& one : get("/v1/backends")) {
      if (one["name"] == name_of(c) && !one["ramp"].is_null()) return one["ramp"]["start"].dump();
    }
    return std::string("none");
  };
  const std::string before = start_of();
  ASSERT_NE(before, "none");
  process_->signal(SIGKILL);
  ASSERT_TRUE(process_->wait_exit());
  start();
  EXPECT_EQ(start_of(), before);
}

TEST_F(RunningTest, TheAccessLogIsOpenedAgainAfterItWasMoved) {
  Origin a("a");
  config_["http"]["access_log"] = {{"path", log_file()}};
  serve({node(a)});
  ask("/first?x=1");
  ASSERT_TRUE(wait_until([&] { return !read(log_file()).empty(); }));
  EXPECT_THAT(read(log_file()), HasSubstr("\"GET /first?x=1 HTTP/1.1\" 200 1 "));
  std::filesystem::rename(log_file(), log_file() + ".1");
  process_->signal(SIGUSR1);
  EXPECT_TRUE(wait_until([&] {
    ask("/second");
    return std::filesystem::exists(log_file()) && !read(log_file()).empty();
  }));
}

TEST_F(RunningTest, TheAccessLogAsJsonSaysWhoAnswered) {
  Origin a("a");
  config_["http"]["access_log"] = {{"path", log_file()}, {"format", "json"}};
  serve({node(a)});
  ask("/\"quoted\"");
  ASSERT_TRUE(wait_until([&] { return !read(log_file()).empty(); }));
  const json line = json::parse(read(log_file()));
  EXPECT_EQ(line["target"], "/\"quoted\"");
  EXPECT_EQ(line["node"], "127.0.0.1:" + std::to_string(a.port()));
  EXPECT_EQ(line["status"], 200);
  EXPECT_EQ(line["route"], "all");
}

TEST_F(RunningTest, RoutesSplitsAndBodyLimits) {
  Origin a("a"), b("b"), c("c");
  config_["upstreams"] = {{{"id", "a"}, {"nodes", {node(a)}}},
                          {{"id", "b"}, {"nodes", {node(b)}}},
                          {{"id", "c"}, {"nodes", {node(c)}}}};
  config_["routes"] = {
      {{"id", "r1"}, {"host", "*.example"}, {"uri", "/*"}, {"upstream_id", "b"}},
      {{"id", "r2"}, {"uri", "/api/*"}, {"upstream_id", "c"}, {"max_body", 10}},
      {{"id", "r3"},
       {"uri", "/split"},
       {"traffic_split",
        {{{"upstream_id", "a"}, {"weight", 1}}, {{"upstream_id", "b"}, {"weight", 1}}}}}};
  start();
  EXPECT_EQ(ask("/"), "404");
  EXPECT_EQ(ask("/api/x"), "c");
  EXPECT_EQ(ask("/x/../api/y"), "c");
  Client named = client();
  named.send("GET / HTTP/1.1\r\nHost: WWW.Example:8080\r\n\r\n");
  EXPECT_EQ(named.read()->body, "b");
  EXPECT_EQ(ask_often(40, "/split").size(), 2u);
  Client large = client();
  large.send("POST /api/x HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n01234567890");
  EXPECT_EQ(large.read()->status, 413);
}

TEST_F(RunningTest, TlsIsTerminatedByNameAndSpokenToNodes) {
  const std::string key = folder_.path() / "key.pem", cert = folder_.path() / "cert.pem";
  must_run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-days", "2", "-subj", "/CN=a.example", "-addext",
            "subjectAltName=DNS:a.example,IP:127.0.0.1", "-keyout", key, "-out", cert});
  Origin a("a");
  const uint16_t secure = unused_port(), node_port = unused_port();
  std::ofstream(folder_.path() / "server.py")
      << "import http.server, ssl\n"
         "class Answer(http.server.BaseHTTPRequestHandler):\n"
         "  def do_GET(self):\n"
         "    self.send_response(200); self.send_header('Content-Length', '6'); "
         "self.end_headers()\n"
         "    self.wfile.write(b'secure')\n"
         "server = http.server.ThreadingHTTPServer(('127.0.0.1', "
      << node_port
      << "), Answer)\n"
         "context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\n"
         "context.load_cert_chain('"
      << cert << "', '" << key
      << "')\n"
         "server.socket = context.wrap_socket(server.socket, server_side=True)\n"
         "server.serve_forever()\n";
  const Process server({"/usr/bin/python3", folder_.path() / "server.py"});
  ASSERT_TRUE(wait_until([&] { return Client(node_port).fd() >= 0; }));
  config_["http"]["listeners"].push_back(
      {{"address", "127.0.0.1"}, {"port", secure}, {"tls", {{"cert", cert}, {"key", key}}}});
  config_["upstreams"] = {
      {{"id", "plain"}, {"nodes", {node(a)}}},
      {{"id", "secure"},
       {"scheme", "https"},
       {"tls", {{"ca_file", cert}}},
       {"nodes", {node(node_port)}}},
      {{"id", "distrusted"}, {"scheme", "https"}, {"nodes", {node(node_port)}}}};
  config_["routes"] = {{{"id", "r1"}, {"uri", "/*"}, {"upstream_id", "plain"}},
                       {{"id", "r2"}, {"uri", "/secure"}, {"upstream_id", "secure"}},
                       {{"id", "r3"}, {"uri", "/distrusted"}, {"upstream_id", "distrusted"}}};
  start();
  const auto curl = [&](const std::vector<std::string>& more) {
    Command command = {"curl", "-sS",          "--cacert",
                       cert,   "--connect-to", "a.example:443:127.0.0.1:" + std::to_string(secure)};
    command.insert(command.end(), more.begin(), more.end());
    return run(command);
  };
  EXPECT_EQ(curl({"https://a.example/"}).out, "a");
  EXPECT_EQ(curl({"--tls-max", "1.2", "https://a.example/"}).out, "a");
  EXPECT_NE(curl({"--tls-max", "1.1", "https://a.example/"}).exit_code, 0);
  EXPECT_EQ(ask("/secure"), "secure");
  EXPECT_EQ(ask("/distrusted"), "502") << "nobody vouches for the node's certificate";
}

}  // namespace
}  // namespace rampart::test
