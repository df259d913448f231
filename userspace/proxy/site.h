// SPDX-License-Identifier: Apache-2.0
// What connections and requests need of the worker that they belong to.
#ifndef RAMPART_USERSPACE_PROXY_SITE_H_
#define RAMPART_USERSPACE_PROXY_SITE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/time.h"
#include "proxy/framed.h"
#include "proxy/node_connection.h"
#include "proxy/timer_wheel.h"
#include "proxy/view.h"

namespace rampart::proxy {

// What one read brings at most, and so what a connection that cannot pass it on keeps at most.
inline constexpr size_t kReadBytes = 65536;

// How a try at a node ended, for the checks that watch requests (H1).
enum class TryEnd {
  kResponse,   // a whole one, or a tunnel's beginning: with a status
  kRefused,    // no connection
  kReset,      // the connection ended before a whole response
  kBadAnswer,  // what came is no response
  kTimeout,
};

// A request that is over.
struct RequestRecord {
  std::string_view client;  // its address
  std::string_view method, target, host, referer, user_agent;
  int minor = 1;
  std::string_view request_id;
  const Route* route = nullptr;        // null: none matched
  const Upstream* upstream = nullptr;  // of the last try; null: there was none
  std::string_view node;               // its identity
  int status = 0;                      // that the client was sent; 0: none
  uint32_t tries = 0;
  uint64_t bytes_in = 0, bytes_out = 0;  // of bodies
  Duration duration{0};
  bool cut = false;  // the response did not become whole
};

// Who hears of it.
class Journal {
 public:
  virtual ~Journal() = default;
  virtual void request_over(const RequestRecord& record) = 0;
  // `status`: with kResponse.
  virtual void try_over(const Upstream& upstream, const Identity& node, TryEnd end, int status) = 0;
};

class Exchange;

struct Site {
  Site(TimerWheel& wheel, NodePool& kept, Connector& maker, Views& newest, Journal& listener);
  ~Site();

  TimerWheel& timers;
  NodePool& pool;
  Connector& connector;
  Views& views;
  Journal& journal;

  // What the time is; a seam.
  std::function<TimePoint()> clock = boot_now;

  // For what one call reads, and for what it writes: nobody keeps anything in them.
  std::vector<char> scratch = std::vector<char>(kReadBytes);
  std::string text;
  Framed framed;
  // Exchanges that are over, for the next requests.
  std::vector<std::unique_ptr<Exchange>> spare;
  size_t clients = 0;      // connections
  std::mt19937_64 random;  // for request ids and traffic splits: nothing that must not be guessed
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_SITE_H_
