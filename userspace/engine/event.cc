// SPDX-License-Identifier: Apache-2.0
#include "engine/event.h"

#include "base/check.h"

namespace rampart::engine {

const char* name_of(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::kBegan:
      return "began";
    case Event::Kind::kFinished:
      return "finished";
    case Event::Kind::kRestarted:
      return "restarted";
    case Event::Kind::kResumed:
      return "resumed";
  }
  RP_CHECK(false);
}

}  // namespace rampart::engine
