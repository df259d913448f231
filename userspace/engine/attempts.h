// SPDX-License-Identifier: Apache-2.0
// One request's tries: how often it may be sent, and to whom next (P2 to P5).
//
// Each node is tried once, but for a lone one: where no other node has an effective weight there is
// nobody to fall back on, and a try at the same node may still meet a better moment.
#ifndef RAMPART_USERSPACE_ENGINE_ATTEMPTS_H_
#define RAMPART_USERSPACE_ENGINE_ATTEMPTS_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/picker.h"

namespace rampart::engine {

// How long all tries may take (retry_timeout, P2) is for the caller, who has a clock.
//
// Belongs to one request, and to the worker whose Picker it holds: so all tries use one generation
// (P5), however many follow it meanwhile.
class Attempts {
 public:
  // `retries` as configured; if unset, the nodes of the generation less one (P2).
  // REQUIRES: `picker` is not null.
  Attempts(std::shared_ptr<Picker> picker, std::optional<uint32_t> retries);

  // Where to send it now; nothing if it was sent as often as it may be, or nobody is left. `hash` as
  // for Picker::pick(). REQUIRES: the lease of the try before is released, or a node that failed
  // looks busier than it is (P3).
  std::optional<Pick> next(uint64_t hash);

  // Tries so far. After next() had no answer: 0 means that there was no node, 503; else 502 (P4).
  uint32_t made() const { return made_; }

 private:
  std::shared_ptr<Picker> picker_;
  uint64_t most_;
  bool is_lone_;
  uint32_t made_ = 0;
  Tried tried_;
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_ATTEMPTS_H_
