// SPDX-License-Identifier: Apache-2.0
// A web server that says who it is, and a client that learns it. Just enough HTTP/1.1 for both ends
// and for the daemon's control socket: answers have a Content-Length or end with the connection.
#ifndef RAMPART_TESTS_SUPPORT_HTTP_H_
#define RAMPART_TESTS_SUPPORT_HTTP_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "support/netns.h"

namespace rampart::test {

struct HttpAnswer {
  int status = 0;
  std::string body;
};

enum class AfterRequest { kKeep, kClose };

// A request as it is sent, without a body.
std::string http_request(const std::string& method, const std::string& target, AfterRequest after);

// The answer that `received` is, if that is the whole of it; nothing as well if its length is not
// given.
std::optional<HttpAnswer> whole_answer(const std::string& received);

// One connection from the calling thread's namespace. Every step gives up after kPatience.
class HttpConnection {
 public:
  // From a port of its own choice, unless one is given.
  static std::optional<HttpConnection> to(const std::string& address, uint16_t port,
                                          uint16_t from = 0);
  static std::optional<HttpConnection> to_socket(const std::string& path);

  // Sends a request and reads the answer; nothing if the connection fails before its end. The
  // connection stays open for another one unless `last`.
  using After = AfterRequest;
  std::optional<HttpAnswer> request(const std::string& method, const std::string& target,
                                    After after = After::kKeep);

  // Ends it with a FIN; false unless the server ends it as well and all is acknowledged.
  bool finish();
  // Ends it with a RST.
  void abort();

 private:
  explicit HttpConnection(Fd socket) : socket_(std::move(socket)) {}
  std::optional<HttpAnswer> read_answer();

  Fd socket_;
};

// GET / over a new connection: the body, which names the server. Nothing if it fails.
std::optional<std::string> http_ask(const std::string& address, uint16_t port = 80);

// Serves in a namespace, on all its addresses: port → what it answers. Counts requests.
class HttpServer {
 public:
  HttpServer(const Netns& netns, std::map<uint16_t, std::string> names);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  uint64_t requests() const { return requests_; }

 private:
  struct Connection;
  void serve();
  bool answer(Connection& connection);  // false: close it

  std::map<int, std::string> names_;  // by listening socket
  std::vector<Fd> listeners_;
  Fd stop_;
  std::atomic<uint64_t> requests_{0};
  std::thread thread_;
};

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_HTTP_H_
