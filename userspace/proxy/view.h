// SPDX-License-Identifier: Apache-2.0
// What one worker makes of what was published: the same, with pickers of its own.
#ifndef RAMPART_USERSPACE_PROXY_VIEW_H_
#define RAMPART_USERSPACE_PROXY_VIEW_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/picker.h"
#include "proxy/serving.h"

namespace rampart::proxy {

struct ScopeView {
  std::shared_ptr<const ScopeNodes> nodes;
  std::shared_ptr<engine::Picker> picker;
};

// Held by every request that began with it.
struct View {
  std::shared_ptr<const Serving> serving;
  std::vector<ScopeView> scopes;  // by index into Serving::upstreams
};

// A worker's view, renewed when the board has another. A scope's picker goes on from the one before
// (P1), also where its index is another one.
class Views {
 public:
  Views(const Board& board, uint64_t worker_seed) : board_(board), seed_(worker_seed) {}

  // The newest. Cheap if nothing was published.
  const std::shared_ptr<const View>& current();

 private:
  void renew();

  const Board& board_;
  uint64_t seed_;
  uint64_t generation_ = 0;
  std::shared_ptr<const View> view_ = std::make_shared<View>();
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_VIEW_H_
