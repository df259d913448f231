// SPDX-License-Identifier: Apache-2.0
// The curve of a ramp (S2): target weight and elapsed time in, weight out.
//
// A floor of a product of doubles is wrong where people look first: 100 * 0.29
// is 28.999999999999996, and status would show 28. So the linear curve (aggression 1) never leaves
// integers: the product of target (16 bits), fixed point (16) and nanoseconds of a week (50) needs
// 82 bits, and has 128. The bent curves need pow, whose error is far below 1e-9 relative; a value
// that close below an integer counts as that integer (S2.1).
//
// Rounding down to 1/65536 and then to a whole number is the floor of the exact product, so the
// shown weight needs no second computation: it is a function of the effective weight.
#ifndef RAMPART_USERSPACE_ENGINE_CURVE_H_
#define RAMPART_USERSPACE_ENGINE_CURVE_H_

#include <cstdint>

#include "base/time.h"
#include "base/weight.h"
#include "engine/scope.h"

namespace rampart::engine {

// The weight of a node of weight `target` whose ramp began `elapsed` ago. Never decreasing in
// `elapsed`, never above the target, exactly the target from the window's end on; at least 1/65536
// for a target above 0, and 0 for 0 (S2.3, S2.4). A negative `elapsed`, from a clock that moved
// back, counts as 0 (S2.5). The first second counts as one whole second of progress. REQUIRES:
// is_valid(block).
Weight ramped_weight(uint32_t target, const SlowStart& block, Duration elapsed);

// The weight that the floor alone gives: of a node that waits for its first ramp (S2).
Weight floor_weight(uint32_t target, const SlowStart& block);

// What people see: the integer floor, at least 1 if there is any weight at all.
uint32_t shown_weight(Weight effective);

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_CURVE_H_
