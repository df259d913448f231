// SPDX-License-Identifier: Apache-2.0
#include "engine/scope.h"

namespace rampart::engine {
namespace {
constexpr std::chrono::seconds kLongestWindow{604800};  // one week
constexpr double kLeastAggression = 0.01;
constexpr double kMostAggression = 100;

template <typename T>
bool within(T least, T value, T most) {
  return least <= value && value <= most;  // false for NaN
}
}  // namespace

bool is_valid(const SlowStart& block) {
  return within(std::chrono::seconds(1), block.window, kLongestWindow) &&
         within(1, block.min_weight_percent, 100) &&
         within(std::chrono::seconds(1), block.interval, block.window) &&
         within(kLeastAggression, block.aggression, kMostAggression) &&
         block.startup_grace >= std::chrono::seconds(0);
}

}  // namespace rampart::engine
