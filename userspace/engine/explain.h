// SPDX-License-Identifier: Apache-2.0
// Why a weight is what it is, in one sentence; and a record of every decision that changed
// something. Sentences are made from values when somebody asks: an engine that nobody listens to
// makes none.
#ifndef RAMPART_USERSPACE_ENGINE_EXPLAIN_H_
#define RAMPART_USERSPACE_ENGINE_EXPLAIN_H_

#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "engine/snapshot.h"

namespace rampart::engine {

// "30.5 s of 300 s have passed since the ramp began: it joined a running scope". REQUIRES: the scope
// has the node.
std::string why(const ScopeState& scope, const Identity& identity);

struct Decision {
  TimePoint at;
  ScopeId scope;
  Identity identity;
  std::string sentence;  // "ramping, weight 12.5 of 100: …"; "gone: …"
};

// Hears of each node whose state a step changed, ordered by scope and identity.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void decided(const Decision& decision) = 0;
};

// Tells `recorder` what differs between two states of one scope.
void record_changes(Recorder& recorder, const ScopeId& id, const ScopeState& before,
                    const ScopeState& after, TimePoint now);

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_EXPLAIN_H_
