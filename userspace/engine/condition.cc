// SPDX-License-Identifier: Apache-2.0
#include "engine/condition.h"

#include "base/check.h"

namespace rampart::engine {

const char* name_of(Health health) {
  switch (health) {
    case Health::kUnknown:
      return "unknown";
    case Health::kUp:
      return "up";
    case Health::kDown:
      return "down";
  }
  RP_CHECK(false);
}

const char* name_of(Admin admin) {
  switch (admin) {
    case Admin::kNone:
      return "none";
    case Admin::kDrain:
      return "drain";
    case Admin::kMaintenance:
      return "maintenance";
  }
  RP_CHECK(false);
}

}  // namespace rampart::engine
