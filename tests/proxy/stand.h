// SPDX-License-Identifier: Apache-2.0
// rampart-http as people run it, on loopback: the program, its configuration and its control socket.
#ifndef RAMPART_TESTS_PROXY_STAND_H_
#define RAMPART_TESTS_PROXY_STAND_H_

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "proxy/origin.h"
#include "support/process.h"
#include "support/temp_folder.h"

namespace rampart::test {

// What came back.
struct Reply {
  int status = 0;
  std::string head;
  std::string body;
};

// A client's connection. Calls block, for kPatience at most.
class Client {
 public:
  explicit Client(uint16_t port);
  bool send(const std::string& text);
  // A whole response, as its head says; nothing if the connection ends before.
  std::optional<Reply> read(bool to_head = false);
  std::optional<Reply> get(const std::string& path, const std::string& fields = "");
  // Everything until the connection ends.
  std::string read_all();
  // Whether it has ended, without waiting longer than it takes to know.
  bool ended();
  void finish();
  void reset();
  int fd() const { return fd_.get(); }
  std::string take(size_t size);  // that many bytes

 private:
  bool more();
  Fd fd_;
  std::string read_;
};

class ProxyTest : public ::testing::Test {
 protected:
  // What every configuration has; `upstreams` and `routes` are the test's.
  ProxyTest();

  static nlohmann::json node(const Origin& origin, int weight = 1) {
    return node(origin.port(), weight);
  }
  static nlohmann::json node(uint16_t port, int weight = 1) {
    return {{"host", "127.0.0.1"}, {"port", port}, {"weight", weight}};
  }
  static std::string name_of(const Origin& origin, const std::string& scope = "web") {
    return scope + "/127.0.0.1:" + std::to_string(origin.port());
  }

  // One upstream "web" that takes all requests; more of it in `more`.
  void serve(const std::vector<nlohmann::json>& nodes,
             const nlohmann::json& more = nlohmann::json::object());
  void write();
  void start();
  Finished cli(Command verb) const;
  // Replaces the nodes of "web".
  void reload(const std::vector<nlohmann::json>& nodes);

  Client client() const { return Client(port_); }
  // The body of GET PATH over a new connection; the status where it is not 200.
  std::string ask(const std::string& path = "/") const;
  // Bodies of so many of them, counted.
  std::map<std::string, int> ask_often(int times, const std::string& path = "/") const;

  nlohmann::json get(const std::string& target) const;  // from the control socket
  int active() const;                                   // requests at nodes
  // Whether all that was taken is given back.
  bool is_at_rest() const { return active() == 0; }

  TempFolder folder_;
  uint16_t port_;
  nlohmann::json config_;
  std::optional<Process> process_;
};

}  // namespace rampart::test

#endif  // RAMPART_TESTS_PROXY_STAND_H_
