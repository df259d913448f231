// SPDX-License-Identifier: Apache-2.0
// What all workers have at one node of one scope: for metrics, and for passive checks.
#ifndef RAMPART_USERSPACE_PROXY_NODE_LOAD_H_
#define RAMPART_USERSPACE_PROXY_NODE_LOAD_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace rampart::proxy {

// Belongs to (scope, identity) and outlives generations, like least_conn's counts, which it does not
// replace: these are for every algorithm, and nobody picks by them. Thread-safe.
struct NodeLoad {
  std::atomic<uint32_t> in_flight{0};
  std::atomic<uint64_t> requests{0};  // tries
  std::atomic<uint64_t> bytes{0};     // of bodies, from and to the node
};

// One try at a node: in flight until the end of this.
class Flight {
 public:
  Flight() = default;
  explicit Flight(std::shared_ptr<NodeLoad> load) : load_(std::move(load)) {
    load_->in_flight.fetch_add(1, std::memory_order_relaxed);
    load_->requests.fetch_add(1, std::memory_order_relaxed);
  }
  Flight(Flight&& other) = default;
  Flight& operator=(Flight&& other) {
    if (this != &other) {
      end();
      load_ = std::move(other.load_);
    }
    return *this;
  }
  ~Flight() { end(); }

  void add_bytes(uint64_t bytes) { load_->bytes.fetch_add(bytes, std::memory_order_relaxed); }
  void end() {
    if (!load_) return;
    load_->in_flight.fetch_sub(1, std::memory_order_relaxed);
    load_.reset();
  }

 private:
  std::shared_ptr<NodeLoad> load_;
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_NODE_LOAD_H_
