// SPDX-License-Identifier: Apache-2.0
// A UDP server that answers each datagram with its name, and a client that learns it.
#ifndef RAMPART_TESTS_SUPPORT_UDP_H_
#define RAMPART_TESTS_SUPPORT_UDP_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "support/netns.h"

namespace rampart::test {

// One flow from the calling thread's namespace.
class UdpFlow {
 public:
  UdpFlow(const std::string& address, uint16_t port);

  // Sends a datagram and returns the answer to it. Nothing is sent twice: an answer that has not
  // come after `limit` is a lost packet.
  std::optional<std::string> ask(std::chrono::milliseconds limit = kPatience);

 private:
  Fd socket_;
};

// The answer to one datagram of a flow of its own.
std::optional<std::string> udp_ask(const std::string& address, uint16_t port,
                                   std::chrono::milliseconds limit = kPatience);

// Serves in a namespace, on all its addresses and from the one that was asked: port → its name.
class UdpServer {
 public:
  UdpServer(const Netns& netns, std::map<uint16_t, std::string> names);
  UdpServer(const UdpServer&) = delete;
  UdpServer& operator=(const UdpServer&) = delete;
  ~UdpServer();

 private:
  void serve();

  std::map<int, std::string> names_;  // by socket
  std::vector<Fd> sockets_;
  Fd stop_;
  std::thread thread_;
};

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_UDP_H_
