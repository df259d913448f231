// SPDX-License-Identifier: Apache-2.0
// What workers serve, as the control thread publishes it: one configuration, and its nodes with the
// weights of the moment. Immutable once made, so a request keeps what it began with (P5).
#ifndef RAMPART_USERSPACE_PROXY_SERVING_H_
#define RAMPART_USERSPACE_PROXY_SERVING_H_

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/ip.h"
#include "base/time.h"
#include "engine/picker.h"
#include "proxy/node_load.h"
#include "proxy/router.h"

namespace rampart::proxy {

class TlsClient;

// What chash hashes (P8).
enum class HashSource { kClientAddress, kClientAddressAndPort, kVariable, kHeader, kCookie };

struct Upstream {
  ScopeId id;
  std::optional<uint32_t> retries;
  Duration retry_timeout{0};
  bool retry_non_idempotent = false;
  HashSource hash_on = HashSource::kClientAddress;
  std::string key;
  std::shared_ptr<const TlsClient> tls;  // null: plain
  bool observed = false;                 // it has passive checks
};

struct Timeouts {
  Duration connect, send, read;
};

struct Route {
  std::string id;
  struct Target {
    uint32_t upstream;  // index into Serving::upstreams
    uint32_t weight;    // of a traffic split
    Timeouts timeouts;
  };
  std::vector<Target> targets;  // at least one
  std::optional<uint64_t> max_body;
};

struct Serving {
  uint64_t epoch = 0;
  std::vector<Upstream> upstreams;
  std::vector<Route> routes;
  Router router;  // finds indices into routes
  std::vector<IpRange> trusted;
  Duration drain_timeout{0};

  bool trusts(const IpAddress& peer) const;
};

// Where one address of a node is.
struct NodeAddress {
  boost::asio::ip::tcp::endpoint endpoint;
  std::string text;
  std::string host;  // what a certificate must name
};

// One generation of a scope: `nodes`, and what workers need of each, by node number.
struct ScopeNodes {
  std::shared_ptr<const engine::PickerNodes> nodes;
  std::vector<std::vector<NodeAddress>> addresses;
  std::vector<std::shared_ptr<NodeLoad>> loads;
};

struct Published {
  std::shared_ptr<const Serving> serving;
  std::vector<std::shared_ptr<const ScopeNodes>> scopes;  // by index into Serving::upstreams
};

// Where the control thread leaves what workers fetch. Thread-safe: a worker compares one number per
// request, and takes the lock only when it changed.
class Board {
 public:
  void publish(Published published) {
    const std::lock_guard lock(mutex_);
    published_ = std::move(published);
    generation_.fetch_add(1, std::memory_order_release);
  }
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  struct Reading {
    uint64_t generation;
    Published published;
  };
  Reading read() const {
    const std::lock_guard lock(mutex_);
    return {generation_.load(std::memory_order_relaxed), published_};
  }

 private:
  mutable std::mutex mutex_;
  Published published_;
  std::atomic<uint64_t> generation_{0};
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_SERVING_H_
