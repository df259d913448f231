// SPDX-License-Identifier: Apache-2.0
// What most cases of this tier stand on: a bed whose backends serve HTTP and UDP, a daemon for it,
// and one VIP, 203.0.113.10:80.
#ifndef RAMPART_TESTS_NETNS_STAND_H_
#define RAMPART_TESTS_NETNS_STAND_H_

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/bed.h"
#include "support/daemon.h"
#include "support/http.h"
#include "support/traffic.h"
#include "support/udp.h"

namespace rampart::test {

constexpr char kVip[] = "203.0.113.10";

struct StandOptions {
  int backends = 2;
  Shape shape = Shape::kTwoArms;
  Mode mode = Mode::kNative;
  std::string forward = "nat";
  std::string protocol = "tcp";
};

struct Stand {
  explicit Stand(const StandOptions& options = {});

  // A file with the VIP "web" and its upstream "web" with these nodes.
  nlohmann::json config(const nlohmann::json& nodes) const;

  // The bed's backend as a node of "web", and the name by which the daemon calls it.
  nlohmann::json node(int number, int weight = 100) const;
  std::string name(int number) const;

  // A file with the bed's first `count` backends at weight 100.
  nlohmann::json config_of_first(int count) const;

  // Writes the file, starts the daemon and waits until each of these backends has answered.
  void serve(const nlohmann::json& config, const std::vector<std::string>& answering);

  // Who answers a new flow to the VIP, over the stand's protocol.
  Ask ask() const;

  // Connections of the client to the VIP, one by one, up to the first that is not answered.
  std::vector<HttpConnection> hold(int count) const;

  // What the backends say of their flows, summed up: "active", "total".
  int flows(const std::string& what) const;
  // What the status says of the flow table: "entries", "refused".
  int flow_table(const std::string& what) const;

  StandOptions options;
  Bed bed;
  std::vector<std::unique_ptr<HttpServer>> http;
  std::vector<std::unique_ptr<UdpServer>> udp;
  Daemon daemon;
};

// Who answers one more request on each, up to the first where it is "nobody".
std::vector<std::string> who_answers(std::vector<HttpConnection>& held);

// "web" of a file made by Stand::config.
nlohmann::json& upstream(nlohmann::json& config);
nlohmann::json& vip(nlohmann::json& config);

// Skips where namespaces cannot be made, saying why.
class NetnsTest : public ::testing::Test {
 protected:
  void SetUp() override;
};

}  // namespace rampart::test

#endif  // RAMPART_TESTS_NETNS_STAND_H_
