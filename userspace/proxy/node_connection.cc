// SPDX-License-Identifier: Apache-2.0
#include "proxy/node_connection.h"

#include <algorithm>
#include <chrono>

#include "base/hash.h"

namespace rampart::proxy {
namespace {

// Shorter than what servers usually allow (nginx 75 s, Apache httpd 5 s but for its own close, which is
// heard).
constexpr Duration kKeptFor = std::chrono::seconds(60);
// Of one worker and key. More are of use only to more requests at once.
constexpr size_t kMostKept = 1024;

}  // namespace

// Kept, it has nothing to say: an end, or something out of turn.
void NodeConnection::on_readable() {
  if (user_ != nullptr) {
    user_->on_readable();
  } else if (pool_ != nullptr) {
    pool_->remove(*this);
  }
}

void NodeConnection::on_deadline() {
  if (pool_ != nullptr) pool_->remove(*this);
}

size_t NodePool::KeyHash::operator()(const NodeKey& key) const {
  const std::string_view address(reinterpret_cast<const char*>(key.endpoint.data()),
                                 key.endpoint.size());
  return hash64(address, reinterpret_cast<uintptr_t>(key.tls.get()));
}

NodePool::~NodePool() {
  clear();
}

std::shared_ptr<NodeConnection> NodePool::take(const NodeKey& key) {
  const auto found = kept_.find(key);
  if (found == kept_.end() || found->second.empty()) return nullptr;
  std::shared_ptr<NodeConnection> connection = std::move(found->second.back());
  found->second.pop_back();
  --size_;
  connection->pool_ = nullptr;
  connection->clear();
  return connection;
}

void NodePool::put(std::shared_ptr<NodeConnection> connection) {
  connection->user_ = nullptr;
  auto& kept = kept_[connection->key()];
  if (kept.size() == kMostKept) {
    connection->stream().close();
    return;
  }
  connection->used_ = true;
  connection->pool_ = this;
  connection->set(timers_, timers_.now() + kKeptFor);
  connection->await_readable();
  kept.push_back(std::move(connection));
  ++size_;
}

void NodePool::remove(NodeConnection& connection) {
  connection.pool_ = nullptr;
  connection.clear();
  connection.stream().close();
  auto& kept = kept_[connection.key()];
  const auto found = std::find_if(kept.begin(), kept.end(),
                                  [&](const auto& one) { return one.get() == &connection; });
  if (found == kept.end()) return;
  kept.erase(found);
  --size_;
}

void NodePool::keep_only(const std::vector<NodeKey>& keys) {
  std::erase_if(kept_, [&](auto& entry) {
    if (std::find(keys.begin(), keys.end(), entry.first) != keys.end()) return false;
    for (const auto& connection : entry.second) {
      connection->pool_ = nullptr;
      connection->clear();
      connection->stream().close();
    }
    size_ -= entry.second.size();
    return true;
  });
}

}  // namespace rampart::proxy
