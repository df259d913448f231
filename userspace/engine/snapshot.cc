// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot.h"

#include "base/check.h"

namespace rampart::engine {

const char* name_of(Lifecycle lifecycle) {
  switch (lifecycle) {
    case Lifecycle::kNone:
      return "none";
    case Lifecycle::kPending:
      return "pending";
    case Lifecycle::kRamping:
      return "ramping";
    case Lifecycle::kMature:
      return "mature";
  }
  RP_CHECK(false);
}

}  // namespace rampart::engine
