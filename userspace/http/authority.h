// SPDX-License-Identifier: Apache-2.0
// What decides at layer 7: the configuration in force, the engine, and what workers are told of both. The
// counterpart of control::Controller, with workers in the place of maps.
//
// Thread-safety: none; the control thread owns it (H5). Workers meet it at the board.
#ifndef RAMPART_USERSPACE_HTTP_AUTHORITY_H_
#define RAMPART_USERSPACE_HTTP_AUTHORITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "control/config.h"
#include "control/state_file.h"
#include "engine/engine.h"
#include "http/publisher.h"
#include "proxy/serving.h"

namespace rampart::http {

class Authority {
 public:
  Authority(TimePoint process_start, uint64_t instance_seed, proxy::Board& board)
      : engine_({.process_start = process_start}), publisher_(instance_seed), board_(board) {}

  // What an earlier process knew (S3.21). REQUIRES: nothing was accepted yet.
  void restore(const engine::EngineState& state, TimePoint now) { engine_.restore(state, now); }
  engine::EngineState engine_state(TimePoint now) { return engine_.state(now); }

  // Makes `config` the configuration in force, or changes nothing (C3).
  Result<void> accept(control::Config config, TimePoint now);
  // What time and events changed since. To be called at next_deadline(). Cheap when nothing did.
  void tick(TimePoint now);
  std::optional<TimePoint> next_deadline() const;

  // Where checks and operators say something of nodes: it counts from the next tick on.
  engine::Engine& engine() { return engine_; }

  // REQUIRES: one was accepted.
  const control::Config& config() const { return *config_; }
  bool has_config() const { return config_.has_value(); }
  uint64_t epoch() const { return epoch_; }
  const engine::Snapshot& snapshot() const { return *engine_.snapshot(); }
  const Publisher& publisher() const { return publisher_; }
  // Lifecycle events since the last call, in order.
  std::vector<engine::Event> take_events() { return std::exchange(events_, {}); }

 private:
  engine::Engine engine_;
  Publisher publisher_;
  proxy::Board& board_;
  std::optional<control::Config> config_;
  uint64_t epoch_ = 0;
  std::vector<engine::Event> events_;
};

}  // namespace rampart::http

#endif  // RAMPART_USERSPACE_HTTP_AUTHORITY_H_
