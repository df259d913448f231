// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_TESTS_UNIT_ENGINE_FULL_NODE_H_
#define RAMPART_TESTS_UNIT_ENGINE_FULL_NODE_H_

#include <string>

#include "engine/picker_node.h"

namespace rampart::engine {

// At its full weight, with one address.
inline PickerNode node_of(const std::string& identity, uint32_t weight, int priority = 0) {
  return {.identity = identity,
          .effective = Weight::whole(weight),
          .ramped = Weight::whole(weight),
          .target = weight,
          .priority = priority,
          .addresses = {identity + ":80"}};
}

}  // namespace rampart::engine

#endif  // RAMPART_TESTS_UNIT_ENGINE_FULL_NODE_H_
