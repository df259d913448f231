// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/curve.h"
#include "property/seeded.h"

namespace rampart::engine {
namespace {

class CurveLaws : public Seeded {
 protected:
  SlowStart any_block() {
    SlowStart block;
    block.window = std::chrono::seconds(between(1, one_in(2) ? 300 : 604800));
    block.min_weight_percent = between(1, 100);
    if (one_in(2)) block.aggression = one_in(2) ? real_between(0.01, 2) : real_between(1, 100);
    return block;
  }
  // Often next to an edge, where a rounding mistake would show.
  Duration any_elapsed(const SlowStart& block) {
    const int64_t window = Duration(block.window).count();
    const int64_t second = Duration(std::chrono::seconds(1)).count();
    if (one_in(3)) return std::chrono::seconds(between<int64_t>(0, block.window.count()));
    if (one_in(3)) return Duration(window + between<int64_t>(-2, 2));
    if (one_in(3)) return Duration(second + between<int64_t>(-2, 2));
    return Duration(between<int64_t>(-second, window + second));
  }
};

TEST_F(CurveLaws, NeverDecreaseAndStayBetweenFloorAndWeight) {  // S2.3 S2.4
  for (int round = 0; round < 50000; ++round) {
    const SlowStart block = any_block();
    const uint32_t target = between(0u, 65535u);
    const Duration earlier = any_elapsed(block);
    const Duration later = std::max(earlier, any_elapsed(block));
    const Weight first = ramped_weight(target, block, earlier);
    const Weight second = ramped_weight(target, block, later);
    ASSERT_LE(first, second);
    ASSERT_LE(second, Weight::whole(target));
    ASSERT_GE(first.raw() * 100 + 99, Weight::whole(target).raw() * block.min_weight_percent);
    ASSERT_EQ(first > Weight(), target > 0);
    if (later >= block.window) {
      ASSERT_EQ(second, Weight::whole(target));
    }
  }
}

TEST_F(CurveLaws, ShowTheExactFloorOfTheLinearCurve) {  // S2.1
  for (int round = 0; round < 50000; ++round) {
    SlowStart block = any_block();
    block.aggression = 1;
    block.min_weight_percent = 1;
    const uint32_t target = between(100u, 65535u);
    const int64_t window = Duration(block.window).count();
    const int64_t least = std::max(window / 50, Duration(std::chrono::seconds(1)).count());
    const int64_t elapsed = between(std::min(least, window), window);
    const uint64_t shown = shown_weight(ramped_weight(target, block, Duration(elapsed)));
    // shown <= target * elapsed / window < shown + 1, without a division.
    using Wide = unsigned __int128;
    ASSERT_LE(Wide{shown} * window, Wide{target} * elapsed);
    ASSERT_GT(Wide{shown + 1} * window, Wide{target} * elapsed);
  }
}

}  // namespace
}  // namespace rampart::engine
