// SPDX-License-Identifier: Apache-2.0
// least_conn with sessions that last (L), and the scenario of apisix issue 12217 with real WebSockets.
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <list>

#include "proxy/stand.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

using nlohmann::json;
namespace beast = boost::beast;
using Tcp = boost::asio::ip::tcp;
using WebSocket = beast::websocket::stream<Tcp::socket>;

// A WebSocket server that says its name and then echoes.
class WebSocketServer {
 public:
  explicit WebSocketServer(std::string name)
      : name_(std::move(name)), acceptor_(io_, {boost::asio::ip::address_v4::loopback(), 0}) {
    thread_ = std::thread([this] { serve(); });
  }
  ~WebSocketServer() {
    ending_ = true;
    {
      Tcp::socket wake(io_);
      boost::system::error_code ignored;
      wake.connect(acceptor_.local_endpoint(), ignored);
    }
    thread_.join();
    for (const int fd : taken_) shutdown(fd, SHUT_RDWR);
    for (std::thread& session : sessions_) session.join();
    for (const int fd : taken_) close(fd);
  }
  uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  void serve() {
    while (true) {
      Tcp::socket socket(io_);
      acceptor_.accept(socket);
      if (ending_) return;
      taken_.push_back(dup(socket.native_handle()));
      sessions_.emplace_back([this, taken = std::move(socket)]() mutable {
        boost::system::error_code error;
        WebSocket session(std::move(taken));
        session.accept(error);
        if (!error) session.write(boost::asio::buffer(name_), error);
        while (!error) {
          beast::flat_buffer message;
          session.read(message, error);
          if (!error) session.write(message.data(), error);
        }
        shutdown(session.next_layer().native_handle(), SHUT_RDWR);
      });
    }
  }

  std::string name_;
  boost::asio::io_context io_;
  Tcp::acceptor acceptor_;
  std::atomic<bool> ending_{false};
  std::list<int> taken_;  // their sockets
  std::list<std::thread> sessions_;
  std::thread thread_;
};

class Session {
 public:
  explicit Session(uint16_t port) : stream_(io_) {
    stream_.next_layer().connect({boost::asio::ip::address_v4::loopback(), port});
    stream_.handshake("a.example", "/ws");
    name_ = receive();
  }
  ~Session() {
    boost::system::error_code ignored;
    stream_.next_layer().close(ignored);
  }
  const std::string& node() const { return name_; }
  std::string echo(const std::string& text) {
    stream_.write(boost::asio::buffer(text));
    return receive();
  }

 private:
  std::string receive() {
    beast::flat_buffer message;
    stream_.read(message);
    return beast::buffers_to_string(message.data());
  }
  boost::asio::io_context io_;
  WebSocket stream_;
  std::string name_;
};

class LeastConnTest : public ProxyTest {
 protected:
  // Opens so many, and counts on which nodes.
  std::map<std::string, int> open(int count) {
    std::map<std::string, int> on;
    for (int i = 0; i < count; ++i) {
      sessions_.emplace_back(port_);
      ++on[sessions_.back().node()];
    }
    return on;
  }
  using Counts = std::map<std::string, int>;
  std::list<Session> sessions_;
};

// apisix issue 12217.
TEST_F(LeastConnTest, L4_TwoSessionsMoreGoToTheThirdNodeThatAReloadAdds) {
  WebSocketServer a("a"), b("b"), c("c");
  serve({node(a.port()), node(b.port())}, {{"type", "least_conn"}});
  EXPECT_EQ(open(4), (Counts{{"a", 2}, {"b", 2}}));
  reload({node(a.port()), node(b.port()), node(c.port())});
  EXPECT_EQ(open(2), (Counts{{"c", 2}}));
  for (Session& session : sessions_) EXPECT_EQ(session.echo("still here"), "still here");
  sessions_.clear();
  EXPECT_TRUE(wait_until([&] { return is_at_rest(); }));
}

TEST_F(LeastConnTest, L4_L6_OneNodeHoldsFourAndTheNextFourGoToTheSecond) {
  WebSocketServer a("a"), b("b");
  serve({node(a.port())}, {{"type", "least_conn"}});
  EXPECT_EQ(open(4), (Counts{{"a", 4}}));
  reload({node(a.port()), node(b.port())});
  EXPECT_EQ(open(4), (Counts{{"b", 4}}));
}

TEST_F(LeastConnTest, L1_ThreeToTwo) {
  WebSocketServer a("a"), b("b");
  serve({node(a.port(), 3), node(b.port(), 2)}, {{"type", "least_conn"}});
  EXPECT_EQ(open(3), (Counts{{"a", 2}, {"b", 1}}));
  EXPECT_EQ(open(2), (Counts{{"a", 1}, {"b", 1}}));
}

TEST_F(LeastConnTest, L2_WeightZeroIsNeverChosen) {
  WebSocketServer a("a"), b("b");
  serve({node(a.port(), 0), node(b.port())}, {{"type", "least_conn"}});
  EXPECT_EQ(open(3), (Counts{{"b", 3}}));
}

TEST_F(LeastConnTest, L3_TiesRotate) {
  std::list<Origin> nodes;
  std::vector<json> listed;
  for (const char* name : {"a", "b", "c", "d", "e"})
    listed.push_back(node(nodes.emplace_back(name)));
  serve(listed, {{"type", "least_conn"}});
  const auto counts = ask_often(5);
  EXPECT_EQ(counts.size(), 5u) << "five requests one after the other reach five nodes";
}

TEST_F(LeastConnTest, L4_ALeaverHasItsCountAgainOnReturnAndAReweightScoresAnew) {
  WebSocketServer a("a"), b("b");
  serve({node(a.port()), node(b.port())}, {{"type", "least_conn"}});
  EXPECT_EQ(open(4), (Counts{{"a", 2}, {"b", 2}}));
  reload({node(b.port())});
  EXPECT_EQ(open(1), (Counts{{"b", 1}}));
  reload({node(a.port()), node(b.port())});
  EXPECT_EQ(open(1), (Counts{{"a", 1}})) << "2 to 3";
  reload({node(a.port(), 4), node(b.port())});
  EXPECT_EQ(open(8), (Counts{{"a", 8}})) << "3 and 3, weights 4 and 1";
}

TEST_F(LeastConnTest, L5_AReleaseThroughAnOlderGenerationIsSeen) {
  WebSocketServer a("a"), b("b"), c("c");
  serve({node(a.port()), node(b.port())}, {{"type", "least_conn"}});
  open(4);
  reload({node(a.port()), node(b.port()), node(c.port())});
  sessions_.clear();  // all of the older generation
  ASSERT_TRUE(wait_until([&] { return is_at_rest(); }));
  EXPECT_EQ(open(3), (Counts{{"a", 1}, {"b", 1}, {"c", 1}}));
}

TEST_F(LeastConnTest, L8_ARemovedNodeGetsNoNewSessionAndKeepsItsOwn) {
  WebSocketServer a("a"), b("b");
  serve({node(a.port()), node(b.port())}, {{"type", "least_conn"}});
  open(4);
  reload({node(b.port())});
  EXPECT_EQ(open(3), (Counts{{"b", 3}}));
  for (Session& session : sessions_) EXPECT_EQ(session.echo("x"), "x");
}

// L4 also while another worker picks: the counts are of the scope.
TEST_F(LeastConnTest, L4_AllWorkersShareTheCounts) {
  WebSocketServer a("a"), b("b");
  config_["http"]["workers"] = 4;
  serve({node(a.port()), node(b.port())}, {{"type", "least_conn"}});
  EXPECT_EQ(open(20), (Counts{{"a", 10}, {"b", 10}}));
}

TEST_F(LeastConnTest, ADrainTakesNoNewSessionAndMaintenanceNeither) {
  WebSocketServer a("a"), b("b");
  serve({node(a.port()), node(b.port())}, {{"type", "least_conn"}});
  const std::string name = "web/127.0.0.1:" + std::to_string(a.port());
  open(2);
  ASSERT_EQ(cli({"drain", name}).exit_code, 0);
  EXPECT_EQ(open(3), (Counts{{"b", 3}}));
  ASSERT_EQ(cli({"undrain", name}).exit_code, 0);
  EXPECT_EQ(open(3), (Counts{{"a", 3}}));
}

}  // namespace
}  // namespace rampart::test
