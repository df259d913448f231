// SPDX-License-Identifier: Apache-2.0
// A connection to a node, and those that are kept for the next request.
//
// One that is kept goes on listening: a node that closes it, or speaks out of turn, takes it out of the
// pool at once, so that what is left to chance is only a close that crosses with a request (P6).
//
// Thread-safety: none; each worker has a pool of its own.
#ifndef RAMPART_USERSPACE_PROXY_NODE_CONNECTION_H_
#define RAMPART_USERSPACE_PROXY_NODE_CONNECTION_H_

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "proxy/out_queue.h"
#include "proxy/serving.h"
#include "proxy/stream.h"
#include "proxy/timer_wheel.h"

namespace rampart::proxy {

// Makes connections; a seam.
class Connector {
 public:
  virtual ~Connector() = default;
  // `tls` is null for a plain one.
  virtual Result<std::unique_ptr<Stream>> connect(const NodeAddress& to, const TlsClient* tls) = 0;
};

// Connections of one kind may stand in for each other.
struct NodeKey {
  boost::asio::ip::tcp::endpoint endpoint;
  std::shared_ptr<const TlsClient> tls;
  bool operator==(const NodeKey&) const = default;
};

class NodePool;

class NodeConnection : public StreamOwner,
                       private Timer,
                       public std::enable_shared_from_this<NodeConnection> {
 public:
  NodeConnection(NodeKey key, std::unique_ptr<Stream> stream)
      : key_(std::move(key)), stream_(std::move(stream)) {}

  // Who has it now. REQUIRES: calls give_up() before it goes.
  void take(StreamOwner& user) { user_ = &user; }
  // No call comes any more, and it is closed.
  void give_up() {
    user_ = nullptr;
    stream_->close();
  }

  Stream& stream() { return *stream_; }
  OutQueue& out() { return out_; }
  const NodeKey& key() const { return key_; }
  // Whether a request has been answered on it before.
  bool used() const { return used_; }

  void await_established() { stream_->await_established(shared_from_this()); }
  void await_readable() { stream_->await_readable(shared_from_this()); }
  void await_writable() { stream_->await_writable(shared_from_this()); }

 private:
  friend class NodePool;
  void on_established() override {
    if (user_ != nullptr) user_->on_established();
  }
  void on_readable() override;
  void on_writable() override {
    if (user_ != nullptr) user_->on_writable();
  }
  void on_deadline() override;

  NodeKey key_;
  std::unique_ptr<Stream> stream_;
  OutQueue out_;
  StreamOwner* user_ = nullptr;
  NodePool* pool_ = nullptr;  // while it is kept there
  bool used_ = false;
};

class NodePool {
 public:
  explicit NodePool(TimerWheel& timers) : timers_(timers) {}
  ~NodePool();

  // The one that was put there last; null if there is none.
  std::shared_ptr<NodeConnection> take(const NodeKey& key);
  // REQUIRES: all that was asked for came, nothing is left to be written, and its user is done with it.
  void put(std::shared_ptr<NodeConnection> connection);
  // Closes those of other keys: nobody will ask for them.
  void keep_only(const std::vector<NodeKey>& keys);
  void clear() { keep_only({}); }

  size_t size() const { return size_; }

 private:
  friend class NodeConnection;
  struct KeyHash {
    size_t operator()(const NodeKey& key) const;
  };
  void remove(NodeConnection& connection);

  TimerWheel& timers_;
  std::unordered_map<NodeKey, std::vector<std::shared_ptr<NodeConnection>>, KeyHash> kept_;
  size_t size_ = 0;
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_NODE_CONNECTION_H_
