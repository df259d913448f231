// SPDX-License-Identifier: Apache-2.0
// A web server on loopback that behaves as a test says: the node behind the proxy.
#ifndef RAMPART_TESTS_PROXY_ORIGIN_H_
#define RAMPART_TESTS_PROXY_ORIGIN_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"

namespace rampart::test {

// One connection as a behaviour sees it. Calls block, for kPatience at most.
class OriginConnection {
 public:
  explicit OriginConnection(int fd) : fd_(fd) {}
  // The next head, with its empty line; empty at the end.
  std::string read_head();
  // As many bytes as a body has; fewer at the end.
  std::string read_bytes(size_t size);
  bool send(const std::string& text);
  void reset();  // with a RST
  int fd() const { return fd_; }

 private:
  int fd_;
  std::string read_;
};

std::string field_of(const std::string& head, const std::string& name);
std::string ok(const std::string& body);  // a whole response

class Origin {
 public:
  // Called with each head; false ends the connection.
  using Behaviour = std::function<bool(OriginConnection&, const std::string& head)>;

  // Answers each request with `name`.
  explicit Origin(const std::string& name);
  explicit Origin(Behaviour behaviour);
  ~Origin();
  Origin(const Origin&) = delete;
  Origin& operator=(const Origin&) = delete;

  uint16_t port() const { return port_; }
  uint64_t requests() const { return requests_; }
  uint64_t connections() const { return connections_; }
  std::vector<std::string> heads() const;

 private:
  void serve();
  void serve_one(int fd);

  Behaviour behaviour_;
  Fd listener_;
  uint16_t port_ = 0;
  std::atomic<bool> ending_{false};
  std::atomic<uint64_t> requests_{0}, connections_{0};
  mutable std::mutex mutex_;  // guards both
  std::vector<std::string> heads_;
  std::list<int> open_;
  std::list<std::thread> threads_;
  std::thread acceptor_;
};

// A port of loopback where nobody listens.
uint16_t unused_port();

}  // namespace rampart::test

#endif  // RAMPART_TESTS_PROXY_ORIGIN_H_
