// SPDX-License-Identifier: Apache-2.0
// A proxy's worker in memory: clients and nodes are wires that the test holds, the time is the test's.
#ifndef RAMPART_TESTS_SUPPORT_PROXY_BED_H_
#define RAMPART_TESTS_SUPPORT_PROXY_BED_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/client_connection.h"
#include "proxy/node_connection.h"
#include "proxy/site.h"
#include "proxy/view.h"
#include "support/memory_stream.h"

namespace rampart::test {

// What the proxy serves: every request goes to one upstream.
struct ProxyBedSettings {
  std::vector<std::string> nodes = {"a", "b"};
  proxy::Upstream upstream = {};  // its id is "u"
  proxy::Timeouts timeouts = {std::chrono::seconds(5), std::chrono::seconds(20),
                              std::chrono::seconds(30)};
  std::optional<uint64_t> max_body;
  std::vector<std::string> trusted;
  bool debug_headers = false;
  engine::Algorithm algorithm = engine::Algorithm::kLeastConn;
};

// A request that is over, as the journal heard of it.
struct OverRequest {
  std::string method, target, node;
  std::string id;  // empty: it was refused before it was read
  int status = 0;
  uint32_t tries = 0;
  uint64_t bytes_in = 0, bytes_out = 0;
  bool cut = false;
};

struct OverTry {
  std::string node;
  proxy::TryEnd end;
  int status = 0;
};

class ProxyBed final : private proxy::Connector, private proxy::Journal {
 public:
  using Wire = std::shared_ptr<MemoryWire>;

  explicit ProxyBed(ProxyBedSettings settings = {});
  ~ProxyBed() override;

  // A client's connection, which the proxy has accepted.
  Wire connect_client();
  // Connections to nodes so far, in order, with the closed ones.
  const std::vector<Wire>& node_wires() const { return node_wires_; }
  // What every connection to a node is given before the proxy has it.
  std::function<void(MemoryWire&)> on_connect = [](MemoryWire&) {};
  // Plays the nodes: called whenever one was sent something, until it changes nothing more.
  std::function<void(MemoryWire&)> on_request;

  // Until nothing moves any more. False if somebody spins.
  bool run();
  // As many deadlines as there are until then; the nodes and clients do nothing meanwhile.
  void pass(Duration time);
  // The same, at one turn: as after a pause of the whole process.
  void jump(Duration time);
  void drain(Duration patience);
  void close_all();

  const std::vector<OverRequest>& requests() const { return requests_; }
  const std::vector<OverTry>& tries() const { return tries_; }
  uint32_t in_flight() const;  // of both kinds of counts
  size_t clients() const { return site_.clients; }
  proxy::NodePool& pool() { return pool_; }
  proxy::Site& site() { return site_; }

 private:
  Result<std::unique_ptr<proxy::Stream>> connect(const proxy::NodeAddress& to,
                                                 const proxy::TlsClient* tls) override;
  void request_over(const proxy::RequestRecord& record) override;
  void try_over(const proxy::Upstream& upstream, const Identity& node, proxy::TryEnd end,
                int status) override;

  TimePoint now_{std::chrono::hours(1)};
  MemoryLoop loop_;
  std::shared_ptr<const proxy::ScopeNodes> scope_;
  std::shared_ptr<const proxy::Listening> listening_;
  proxy::Board board_;
  proxy::TimerWheel timers_{now_};
  proxy::NodePool pool_{timers_};
  proxy::Views views_{board_, 1};
  proxy::Site site_{timers_, pool_, *this, views_, *this};
  std::vector<std::weak_ptr<proxy::ClientConnection>> connections_;
  std::vector<Wire> node_wires_;
  std::vector<OverRequest> requests_;
  std::vector<OverTry> tries_;
};

// A node that answers whole requests, of whatever kind, with a short response each.
void answer_each(MemoryWire& wire);
// The same with this response.
std::function<void(MemoryWire&)> answer_with(std::string response);
// How many heads of requests are in `bytes`.
size_t heads_in(std::string_view bytes);

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_PROXY_BED_H_
