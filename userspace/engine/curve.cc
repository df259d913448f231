// SPDX-License-Identifier: Apache-2.0
#include "engine/curve.h"

#include <algorithm>
#include <cmath>

namespace rampart::engine {
namespace {

constexpr double kIntegerTolerance = 1e-9;  // S2.1, relative
constexpr Duration kFirstStep = std::chrono::seconds(1);

// target * part / whole in fixed point, rounded down.
// REQUIRES: part >= 0, whole > 0.
uint64_t exact_share(uint32_t target, int64_t part, int64_t whole) {
  const unsigned __int128 product = static_cast<unsigned __int128>(target) * Weight::kOne * part;
  return static_cast<uint64_t>(product / whole);
}

// target * (part/whole)^(1/aggression) in fixed point, rounded down.
uint64_t bent_share(uint32_t target, Duration part, Duration whole, double aggression) {
  const double progress = static_cast<double>(part.count()) / static_cast<double>(whole.count());
  const double weight = target * std::pow(progress, 1 / aggression);
  const double next_integer = std::ceil(weight);
  const bool is_that_integer = weight >= next_integer * (1 - kIntegerTolerance);
  return static_cast<uint64_t>((is_that_integer ? next_integer : weight) * Weight::kOne);
}

}  // namespace

Weight ramped_weight(uint32_t target, const SlowStart& block, Duration elapsed) {
  const Duration window = block.window;
  if (target == 0 || elapsed >= window) return Weight::whole(target);
  const Duration progress = std::max(elapsed, kFirstStep);
  const uint64_t curve = block.aggression == 1
                             ? exact_share(target, progress.count(), window.count())
                             : bent_share(target, progress, window, block.aggression);
  return std::max(floor_weight(target, block), Weight::fixed(curve));
}

Weight floor_weight(uint32_t target, const SlowStart& block) {
  if (target == 0) return Weight();
  return Weight::fixed(std::max(exact_share(target, block.min_weight_percent, 100), uint64_t{1}));
}

uint32_t shown_weight(Weight effective) {
  if (effective == Weight()) return 0;
  return static_cast<uint32_t>(std::max(effective.raw() >> Weight::kFractionBits, uint64_t{1}));
}

}  // namespace rampart::engine
