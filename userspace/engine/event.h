// SPDX-License-Identifier: Apache-2.0
// A decision about one node's ramp, reported once (S3.24).
#ifndef RAMPART_USERSPACE_ENGINE_EVENT_H_
#define RAMPART_USERSPACE_ENGINE_EVENT_H_

#include <string>

#include "base/ids.h"

namespace rampart::engine {

struct Event {
  enum class Kind {
    kBegan,      // a newcomer's ramp starts (S3.3, S3.4)
    kFinished,   // its window has passed (S3.6)
    kRestarted,  // a node that had a state ramps anew (S3.5)
    kResumed,    // a node that was away or unusable goes on where the clock is (S3.7)
  };
  Kind kind;
  ScopeId scope;
  Identity identity;
  std::string reason;
};
const char* name_of(Event::Kind kind);

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_EVENT_H_
