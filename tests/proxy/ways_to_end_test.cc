// SPDX-License-Identifier: Apache-2.0
// Every way in which a request can end, and that what it took is given back once (L7): afterwards no node
// has a request in flight, and least_conn picks as if there had been none.
#include <functional>
#include <ostream>

#include "proxy/stand.h"
#include "support/sockets.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

using nlohmann::json;

struct Way {
  const char* name;
  Origin::Behaviour node;
  std::function<void(Client& client, ProxyTest& test)> client;
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

std::string big_head() {
  return "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n";
}

bool answers(OriginConnection& connection, const std::string&) {
  return connection.send(ok("fine"));
}
bool waits(OriginConnection& connection, const std::string&) {
  connection.read_head();  // until the proxy gives up
  return false;
}
bool begins(OriginConnection& connection, const std::string&) {
  connection.send(big_head() + "some");
  connection.read_head();
  return false;
}

void ask(Client& client, ProxyTest&) {
  client.get("/");
}
void send_alone(Client& client) {
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
}

const Way kWays[] = {
    {"it finishes", answers, ask},
    {"the client leaves before it sent all of its head", answers,
     [](Client& client, ProxyTest&) {
       client.send("GET / HT");
       client.reset();
     }},
    {"the client leaves in the middle of its body", waits,
     [](Client& client, ProxyTest&) {
       client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nsome");
       client.reset();
     }},
    {"the client ends while the node works", waits,
     [](Client& client, ProxyTest&) {
       send_alone(client);
       client.finish();
     }},
    {"the client resets while the node works", waits,
     [](Client& client, ProxyTest&) {
       send_alone(client);
       client.reset();
     }},
    {"the client resets in the middle of the response", begins,
     [](Client& client, ProxyTest&) {
       send_alone(client);
       client.take(10);
       client.reset();
     }},
    {"the client leaves after the response", answers,
     [](Client& client, ProxyTest& test) {
       ask(client, test);
       client.reset();
     }},
    {"the node resets before a response",
     [](OriginConnection& connection, const std::string&) {
       connection.reset();
       return false;
     },
     ask},
    {"the node ends before a response", [](OriginConnection&, const std::string&) { return false; },
     ask},
    {"the node resets in the middle of a response",
     [](OriginConnection& connection, const std::string&) {
       connection.send(big_head() + "some");
       connection.reset();
       return false;
     },
     ask},
    {"the node ends in the middle of a response",
     [](OriginConnection& connection, const std::string&) {
       connection.send(big_head() + "some");
       return false;
     },
     ask},
    {"the node ends in the middle of a chunk",
     [](OriginConnection& connection, const std::string&) {
       connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc");
       return false;
     },
     ask},
    {"the response ends with the connection",
     [](OriginConnection& connection, const std::string&) {
       connection.send("HTTP/1.1 200 OK\r\n\r\nuntil the end");
       return false;
     },
     ask},
    {"the node times out", waits, ask},
    {"the node answers with rubbish",
     [](OriginConnection& connection, const std::string&) {
       connection.send("rubbish\r\n\r\n");
       return false;
     },
     ask},
    {"the node's head never ends",
     [](OriginConnection& connection, const std::string&) {
       connection.send("HTTP/1.1 200 OK\r\nX: " + std::string(100000, 'x'));
       return false;
     },
     ask},
    {"the node answers before the body has come",
     [](OriginConnection& connection, const std::string&) {
       connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
       return true;
     },
     [](Client& client, ProxyTest&) {
       client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nsome");
       client.read();
     }},
    {"the body is no body", waits,
     [](Client& client, ProxyTest&) {
       client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n");
       client.read();
     }},
    {"an upgrade ends by the client",
     [](OriginConnection& connection, const std::string&) {
       connection.send("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: test\r\n\r\n");
       connection.read_bytes(1000000);
       return false;
     },
     [](Client& client, ProxyTest&) {
       client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: test\r\n\r\n");
       client.read();
       client.send("hello");
       client.finish();
       client.read_all();
     }},
    {"an upgrade ends by the node",
     [](OriginConnection& connection, const std::string&) {
       connection.send(
           "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: test\r\n\r\nhello");
       return false;
     },
     [](Client& client, ProxyTest&) {
       client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: test\r\n\r\n");
       client.read_all();
     }},
    {"an upgrade is cut by the client",
     [](OriginConnection& connection, const std::string&) {
       connection.send("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: test\r\n\r\n");
       connection.read_bytes(1000000);
       return false;
     },
     [](Client& client, ProxyTest&) {
       client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: test\r\n\r\n");
       client.read();
       client.reset();
     }},
};

class WaysToEnd : public ProxyTest, public ::testing::WithParamInterface<Way> {};

TEST_P(WaysToEnd, L7_WhatWasTakenIsGivenBackOnce) {
  Origin node_under_test(GetParam().node);
  serve({node(node_under_test)},
        {{"type", "least_conn"}, {"retries", 1}, {"timeout", {{"read", 0.3}}}});
  for (int i = 0; i < 3; ++i) {
    Client one = client();
    GetParam().client(one, *this);
  }
  EXPECT_TRUE(wait_until([&] { return is_at_rest(); })) << active() << " in flight";
  // A newcomer and the node that was there are equal again: L1 with counts of 0.
  Origin fresh("fresh");
  reload({node(node_under_test), node(fresh)});
  EXPECT_TRUE(is_at_rest());
  EXPECT_TRUE(process_->running()) << process_->output();
}

INSTANTIATE_TEST_SUITE_P(All, WaysToEnd, ::testing::ValuesIn(kWays), [](const auto& way) {
  std::string name = way.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace rampart::test
