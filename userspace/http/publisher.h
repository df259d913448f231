// SPDX-License-Identifier: Apache-2.0
// From a configuration and the engine's weights to what workers serve.
//
// Thread-safety: none; the control thread owns it.
#ifndef RAMPART_USERSPACE_HTTP_PUBLISHER_H_
#define RAMPART_USERSPACE_HTTP_PUBLISHER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "control/config.h"
#include "engine/snapshot.h"
#include "proxy/node_load.h"
#include "proxy/serving.h"
#include "proxy/tls.h"

namespace rampart::http {

class Publisher {
 public:
  // `instance_seed` differs between instances (L3).
  explicit Publisher(uint64_t instance_seed) : seed_(instance_seed) {}

  // The next configuration. An error, and nothing changed, if one of its files is of no use (C3).
  Result<void> configure(const control::Config& config);
  // What is to be served by these weights; nothing if that is what was said last.
  // REQUIRES: `snapshot` has the scopes of the configuration that was given last.
  std::optional<proxy::Published> publish(const engine::Snapshot& snapshot, TimePoint now);
  // When publish() has more to say though no weight changes (W7).
  std::optional<TimePoint> next_refill() const;

  // What workers have at a node; nullptr if none was ever tried.
  const proxy::NodeLoad* load(const ScopeId& scope, const Identity& identity) const;

 private:
  struct Scope {
    engine::PickerSettings settings;
    uint16_t scheme_port = 0;  // of nodes that give none
    std::map<Identity, control::NodeConfig> configured;
    std::vector<engine::PickerNode> weighed;  // what `nodes` was made from
    std::shared_ptr<const proxy::ScopeNodes> nodes;
    std::map<Identity, std::shared_ptr<proxy::NodeLoad>> loads;
  };
  // A configuration on its way; nothing of it holds yet.
  struct Draft {
    std::shared_ptr<proxy::Serving> serving;
    std::map<ScopeId, Scope> scopes;
    std::map<ScopeId, uint32_t> indices;  // into serving->upstreams
    std::map<ScopeId, control::HttpTimeouts> timeouts;
    // A context for each way of verifying, read anew with each configuration.
    std::map<std::pair<bool, std::string>, std::shared_ptr<const proxy::TlsClient>> tls;
  };

  Result<void> draft_upstream(Draft& draft, const control::UpstreamConfig& upstream,
                              uint32_t hash_seed) const;
  bool renew(const ScopeId& id, Scope& scope, const engine::ScopeState& state, bool refill);
  std::shared_ptr<const proxy::ScopeNodes> with_addresses(
      Scope& scope, std::shared_ptr<const engine::PickerNodes> nodes);

  const uint64_t seed_;
  uint64_t epoch_ = 0;
  bool configured_ = false;  // anew, since the last publish()
  std::shared_ptr<const proxy::Serving> serving_;
  std::map<ScopeId, Scope> scopes_;
  TimePoint refill_at_;
};

}  // namespace rampart::http

#endif  // RAMPART_USERSPACE_HTTP_PUBLISHER_H_
